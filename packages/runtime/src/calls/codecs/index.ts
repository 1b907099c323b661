import type { CodecName } from "../../manifest/json-schema.js";
import { bigint } from "./bigint.js";
import { bytes } from "./bytes.js";
import type { Codec } from "./codec.js";
import { date } from "./date.js";
import { map } from "./map.js";
import { set } from "./set.js";
import { url } from "./url.js";

/** THE TABLE of codecs. A new one is a file beside this, a line here and a name in `CodecName`. */
export const codecs = { date, url, bigint, map, set, bytes } satisfies Record<CodecName, Codec>;
