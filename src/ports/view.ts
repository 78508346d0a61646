import type { Command } from "../core/state/commands.ts";

/**
 * A state file. `render` is a pure function of the workflow and the text that is there: it changes only
 * what the workflow owns in it, and rendering twice changes nothing more.
 */
export interface View {
  readonly path: string;
  readonly shared: boolean;
  readonly render: (text: string | null) => Rendered;
  /** Sentences about where the text disagrees with the journal; empty when it agrees. */
  readonly drift: (text: string | null) => readonly string[];
  /** The commands that an edit of the view amounts to. They are decided like any others. */
  readonly claims?: (text: string) => readonly Command[];
  /** Bring this workflow's part of `shown` onto `head`, for a commit that must hold nobody else's part. */
  readonly carry?: (head: string, shown: string) => string;
  /** The parts of a shared file in their order, so that a commit can be seen to leave everybody else's alone. */
  readonly reads?: (text: string) => readonly Part[];
}

/** What one workflow has in a shared file; it may wrongly have several. */
export interface Part {
  readonly owner: string;
  readonly text: string;
}

export type Rendered =
  | { readonly kind: "text"; readonly text: string }
  /** `lost`: it ought to be there, and nothing of it can be written without the text that was. */
  | { readonly kind: "absent"; readonly lost?: boolean }
  /** The text cannot be understood well enough to change it without losing something. */
  | { readonly kind: "broken"; readonly message: string };
