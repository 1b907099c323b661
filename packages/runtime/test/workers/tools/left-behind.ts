export function leavesThrowing(): string {
  setTimeout(() => {
    throw new Error("stray");
  }, 20);
  return "done";
}
