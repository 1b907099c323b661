import { StoreError } from "./errors.js";

/** Imports an optional package; says what to install when it is not there. @throws {StoreError} `peer-missing`. */
export async function loadPeer<T>(
  load: () => Promise<T>,
  { name, what }: { readonly name: string; readonly what: string },
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new StoreError(`${what} needs the package ${name}; run npm install ${name}`, { code: "peer-missing", cause });
  }
}
