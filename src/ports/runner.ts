/** Run a configured check: an argument list, no shell. Whatever it started is killed when it ends. */
export interface Runner {
  readonly run: (command: readonly string[], options: RunOptions) => Promise<RunResult>;
}

export interface RunOptions {
  readonly cwd: string;
  readonly msMax: number;
  readonly env?: Readonly<Record<string, string>>;
}

export type RunResult =
  | {
      readonly kind: "exited";
      readonly code: number;
      readonly output: string;
      readonly ms: number;
      /** The file that was run, where the program was given by its name alone. */
      readonly program?: string;
    }
  | { readonly kind: "timeout"; readonly output: string; readonly ms: number }
  | { readonly kind: "failed"; readonly message: string };
