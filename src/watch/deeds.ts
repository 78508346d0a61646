/** What a shell command does. */
export type Deed =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly tree: boolean;
      readonly cwd: string;
      /** It may be anywhere in that place, so it counts only if something is held there. */
      readonly could: boolean;
    }
  /** Some file is written, and nothing is known about which. */
  | { readonly kind: "anywhere"; readonly cwd: string }
  /** An unknown program gets this path and may write it. */
  | { readonly kind: "names"; readonly path: string; readonly cwd: string }
  /** This text may contain a command; only what it names can be judged. */
  | { readonly kind: "names-in"; readonly text: string }
  | {
      readonly kind: "git";
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: readonly string[];
    }
  | {
      readonly kind: "holdpoint";
      readonly args: readonly string[];
      readonly env: readonly string[];
    }
  /** What this does cannot be determined. */
  | { readonly kind: "unclear"; readonly text: string; readonly cwd: string };

export interface ShellCall {
  readonly command: string;
  readonly cwd: string;
  readonly home: string;
  /** Assume that every `cd` fails. */
  readonly stays?: boolean;
}

/** How a program is started. */
export interface How {
  readonly env: readonly string[];
  readonly fed: readonly string[];
  readonly piped: boolean;
  /** By a program that adds further words; of two such programs, the first has added them. */
  readonly given?: true;
}

/** Where a command runs, and the variables it knows. */
export interface Scope {
  cwd: string;
  readonly variables: Map<string, readonly string[]>;
}

/** What a program writes. */
export interface Written {
  readonly path: string;
  /** With everything below it. */
  readonly tree: boolean;
  /** Somewhere in there. */
  readonly could?: true;
}
