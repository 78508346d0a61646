/** Runs a configured check: an argument list, without a shell. Everything it started is killed when it ends. */
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
      /** The file that was run, if the program was given by name only. */
      readonly program?: string;
    }
  | { readonly kind: "timeout"; readonly output: string; readonly ms: number }
  | { readonly kind: "failed"; readonly message: string };
