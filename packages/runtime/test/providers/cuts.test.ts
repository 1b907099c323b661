import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { answerOf, beforeTerminal, delicateCuts, everyCut, hear, seededCuts, told, wholeStreams } from "./cuts.js";

// At every byte of all streams: npm run cuts.

// In so many parts side by side: "0/2" and "1/2".
const [part = 0, parts = 1] = (process.env.ALL_CUTS ?? "0/1").split("/").map(Number);
const EVERY_BYTE_UP_TO = process.env.ALL_CUTS === undefined ? 4_096 : Number.POSITIVE_INFINITY;
// A stream costs the square of its length: dealt out by length, no part has all the long ones.
const streams = wholeStreams()
  .toSorted((left, right) => right.response.body.length - left.response.body.length)
  .filter((_, index) => index % parts === part);
let cutsMade = 0;
afterAll(() => console.log(`${streams.length} streams, ${cutsMade} cuts`));

describe("a stream", () => {
  const named = streams.map((recording) => [recording.file, recording] as const);

  it.each(named)(
    "%s gives the same in two network chunks, wherever they are cut, and in single bytes",
    async (_file, recording) => {
      const { body } = answerOf(recording);
      const whole = told(await hear(recording));
      expect(told(await hear(recording, { cuts: everyCut(body.length) }))).toBe(whole);
      const cuts =
        body.length <= EVERY_BYTE_UP_TO ? everyCut(body.length) : [...delicateCuts(body), ...seededCuts(body.length)];
      cutsMade += cuts.length;
      for (const cut of cuts) {
        expect(told(await hear(recording, { cuts: [cut] })), `cut at byte ${cut}`).toBe(whole);
        // Without a network nothing here ends a turn of the event loop, and weakly held objects are kept until one ends.
        if (cut % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  );

  it.each(named)(
    "%s is a cut reply when it ends before its last event, never a finished one",
    async (_file, recording) => {
      const end = beforeTerminal(recording);
      // One that reports an error before its end is no less failed for being cut after it.
      if (end === undefined || end === 0 || (await hear(recording)).error !== undefined) return;
      const { body } = answerOf(recording);
      const printed = vi.spyOn(console, "error").mockImplementation(() => {});
      onTestFinished(() => printed.mockRestore());
      for (const place of [end, ...seededCuts(end).slice(0, 20)]) {
        const { reply, error } = await hear(recording, { body: body.subarray(0, place) });
        expect(reply, `ended at byte ${place}`).toBeUndefined();
        expect(error, `ended at byte ${place}`).toEqual({ code: "cut", retryable: true, status: undefined });
      }
      // What a model says is nothing for a log.
      expect(printed).not.toHaveBeenCalled();
    },
  );
});
