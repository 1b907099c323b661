const KEY = "callsign-token";

/** The token that this tab was asked to keep until it is closed. */
export function keptToken(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    // A browser that keeps nothing.
    return undefined;
  }
}

export function keepToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // It is asked for again.
  }
}
