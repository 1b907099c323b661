/** What a command prints to and starts from; a test gives its own. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Whether what goes to `out` and `error` may be coloured. */
  readonly color: { readonly out: boolean; readonly error: boolean };
  /** Absolute path of the folder that relative paths on the command line start from. */
  readonly cwd: string;
}

/** The process's own terminal. */
export function processTerminal(): Terminal {
  // A reader that closes early (`callsignc show x | head -1`) is no fault.
  const ignoreClosedPipe = (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  };
  process.stdout.on("error", ignoreClosedPipe);
  process.stderr.on("error", ignoreClosedPipe);
  return {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    color: { out: takesColor(process.stdout), error: takesColor(process.stderr) },
    cwd: process.cwd(),
  };
}

// `hasColors` knows NO_COLOR, FORCE_COLOR, TERM and the like; a stream that is no terminal does not have it.
function takesColor(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && stream.hasColors();
}
