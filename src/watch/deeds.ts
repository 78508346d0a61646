/** What a shell command comes to. */
export type Deed =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly tree: boolean;
      readonly cwd: string;
      /** Somewhere there, and nobody knows where: it counts only where something is held. */
      readonly could: boolean;
    }
  /** A file is written, and nothing at all is known about which. */
  | { readonly kind: "anywhere"; readonly cwd: string }
  /** A program that nobody knows is given this path: it may write it. */
  | { readonly kind: "names"; readonly path: string; readonly cwd: string }
  /** A text that it is given may be a command; only what it names can be held against it. */
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
  /** It cannot be told what this does. */
  | { readonly kind: "unclear"; readonly text: string; readonly cwd: string };

export interface ShellCall {
  readonly command: string;
  readonly cwd: string;
  readonly home: string;
  /** As if no folder could be entered. */
  readonly stays?: boolean;
}

/** How a program is started. */
export interface How {
  readonly env: readonly string[];
  readonly fed: readonly string[];
  readonly piped: boolean;
  /** By one that gives it further words: of two of that kind the first has done so. */
  readonly given?: true;
}

/** Where a command runs, and what it knows. */
export interface Scope {
  cwd: string;
  readonly variables: Map<string, readonly string[]>;
}

/** What a program writes. */
export interface Written {
  readonly path: string;
  /** With everything below it. */
  readonly tree: boolean;
  /** Somewhere there. */
  readonly could?: true;
}
