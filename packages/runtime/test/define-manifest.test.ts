import { describe, expect, test, vi } from "vitest";

const APP = "./fixtures/one-file/app.js";
const GEN = "./fixtures/one-file/callsign.gen.js";

type App = typeof import("./fixtures/one-file/app.js");
type Gen = typeof import("./fixtures/one-file/callsign.gen.js");

describe("a generated module beside a file that holds tools, schema and agent together", () => {
  test.each([
    ["the generated module first", [GEN, APP]],
    ["the file itself first", [APP, GEN]],
  ])("is imported without a cycle, %s", async (_, [first, second]) => {
    vi.resetModules();
    const modules = new Map<unknown, unknown>();
    for (const path of [first, second]) modules.set(path, await import(path as string));
    const app = modules.get(APP) as App;
    const { manifest, schemas, bind } = modules.get(GEN) as Gen;
    await expect(app.assistant("?")).resolves.toBe("The tools gave back:\n- add: 11\n- run: 41");
    await expect(app.forecaster("?")).resolves.toEqual({ city: "city", day: expect.any(Date) });
    await expect(app.tools.add.execute({ a: 1 })).resolves.toBe(11);
    await expect(bind({ add: app.add }).add.execute({ a: 2, b: 3 })).resolves.toBe(5);
    await expect(schemas.WeatherForecast.parse({ city: 1 })).rejects.toMatchObject({ code: "value-refused" });
    expect(manifest.tools.map(({ name }) => name)).toEqual(["add", "run"]);
    expect("constructor" in schemas).toBe(false);
  });
});
