import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readConfig } from "../src/config/read-config.js";
import { TARGET_NAMES } from "../src/config/target-names.js";
import { makeProject } from "./doubles/command.js";

test("config.schema.json takes exactly what the command takes", () => {
  const schema = JSON.parse(readFileSync(new URL("../config.schema.json", import.meta.url), "utf8"));
  const validate = new Ajv().compile(schema);
  const folder = makeProject({});
  const text = fc.oneof(fc.constant(""), fc.constant("src"), fc.string());
  const value = fc.oneof(
    text,
    fc.boolean(),
    fc.array(text),
    fc.constantFrom<unknown>(null, 0, 1, 1.5, "full", "first-line", {}),
    fc.array(fc.constantFrom<string>(...TARGET_NAMES, "other"), { maxLength: 2 }),
  );
  const config = fc.dictionary(
    fc.constantFrom(
      "$schema",
      "project",
      "entries",
      "outDir",
      "strict",
      "description",
      "targets",
      "maxToolBytes",
      "validators",
      "other",
    ),
    value,
  );
  fc.assert(
    fc.property(config, (candidate) => {
      writeFileSync(join(folder, "callsign.config.json"), JSON.stringify(candidate));
      expect(readConfig(folder).problems.length === 0).toBe(validate(candidate));
    }),
    { numRuns: 600 },
  );
});
