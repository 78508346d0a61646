import type { Command } from "../core/state/commands.ts";

/**
 * A state file. `render` is a pure function of the workflow and the existing text: it changes only what the
 * workflow owns in it, and rendering twice changes nothing more.
 */
export interface View {
  readonly path: string;
  readonly shared: boolean;
  readonly render: (text: string | null) => Rendered;
  /** Where the text disagrees with the journal, in sentences; empty if it agrees. */
  readonly drift: (text: string | null) => readonly string[];
  /** The commands that an edit of the view amounts to. They are decided like any other command. */
  readonly claims?: (text: string) => readonly Command[];
  /**
   * Puts this workflow's part of `shown` into `head`, for a commit that must not contain other workflows'
   * changes.
   */
  readonly carry?: (head: string, shown: string) => string;
  /** The parts of a shared file in order, to check that a commit leaves other workflows' parts alone. */
  readonly reads?: (text: string) => readonly Part[];
}

/** What one workflow has in a shared file. By mistake there may be several. */
export interface Part {
  readonly owner: string;
  readonly text: string;
}

export type Rendered =
  | { readonly kind: "text"; readonly text: string }
  /** `lost`: the file should exist, and cannot be rebuilt without its earlier text. */
  | { readonly kind: "absent"; readonly lost?: boolean }
  /** The text cannot be understood well enough to change it safely. */
  | { readonly kind: "broken"; readonly message: string };
