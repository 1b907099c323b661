import type { TypeMapper } from "./mapper.js";
import { anyMapper } from "./types/any.js";
import { anyObjectMapper } from "./types/any-object.js";
import { arrayMapper } from "./types/array.js";
import { bigintMapper } from "./types/bigint.js";
import { bytesMapper } from "./types/bytes.js";
import { dateMapper } from "./types/date.js";
import { freeMapper } from "./types/free.js";
import { intersectionMapper } from "./types/intersection.js";
import { libraryClassMapper } from "./types/library-class.js";
import { literalMapper } from "./types/literal.js";
import { mapMapper } from "./types/map.js";
import { neverMapper } from "./types/never.js";
import { objectMapper } from "./types/object.js";
import { primitiveMapper } from "./types/primitive.js";
import { setMapper } from "./types/set.js";
import { stringMappingMapper } from "./types/string-mapping.js";
import { symbolMapper } from "./types/symbol.js";
import { templateLiteralMapper } from "./types/template-literal.js";
import { tupleMapper } from "./types/tuple.js";
import { undefinedMapper } from "./types/undefined.js";
import { unionMapper } from "./types/union.js";
import { urlMapper } from "./types/url.js";

/**
 * Every type mapper. At most one accepts a type, with one exception: `library-class` and `object` accept every
 * object type that nothing above them took, and `library-class` comes first since a class of the library is never
 * plain data.
 */
export const mappers: readonly TypeMapper[] = [
  primitiveMapper,
  literalMapper,
  unionMapper,
  arrayMapper,
  tupleMapper,
  dateMapper,
  urlMapper,
  mapMapper,
  setMapper,
  bytesMapper,
  libraryClassMapper,
  objectMapper,
  intersectionMapper,
  templateLiteralMapper,
  stringMappingMapper,
  bigintMapper,
  anyObjectMapper,
  anyMapper,
  freeMapper,
  neverMapper,
  undefinedMapper,
  symbolMapper,
];
