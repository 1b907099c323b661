// Preloaded into each measured process: says at its end what CPU time and memory it took. CommonJS, since that loads
// in a millisecond and the smallest thing measured takes forty.
const { writeSync } = require("node:fs");

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 }));
});
