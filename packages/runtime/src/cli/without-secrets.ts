import { secretRemover } from "../providers/test/remove-secrets.js";

let remove: ReturnType<typeof secretRemover> | undefined;

/** A text without the values of secret environment variables, passwords of addresses, and whatever has the form of a key. */
export function withoutSecrets(text: string): string {
  remove ??= secretRemover();
  const store = process.env.CALLSIGN_STORE ?? "";
  const password = /^\w+:\/\/[^:@/]*:([^@]+)@/.exec(store)?.[1];
  const clean = String(remove(text));
  return (password === undefined ? clean : clean.replaceAll(password, "[removed]")).replaceAll(
    /(\b\w+:\/\/[^:@/\s]*:)[^@/\s]+@/g,
    "$1[removed]@",
  );
}
