// What every subject does: says its address, begins when told, and says what it took.

const memory = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};

export async function serveSubject(open) {
  const options = JSON.parse(process.argv[2]);
  const subject = await open(options);
  process.send({ url: subject.url, rss: memory() });
  process.on("message", async (message) => {
    if (message === "connected") process.send({ rss: memory() });
    if (message !== "go") return;
    const cpu = process.cpuUsage();
    subject.go();
    await subject.ended();
    // What is still to be written belongs to it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { user, system } = process.cpuUsage(cpu);
    process.send({ cpuMs: (user + system) / 1_000, rss: memory() });
  });
  process.on("disconnect", () => process.exit(0));
}
