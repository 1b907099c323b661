// Not called where the core's double stands in: inspection is tested with the core itself.
export function addWireForms(): never {
  throw new Error("the double does not inspect");
}

export function inspectFile(): never {
  throw new Error("the double does not inspect");
}
