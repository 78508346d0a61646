/** What an agent's client says through its hooks, in one form for all clients. */

export const CLIENTS = ["claude", "codex", "gemini", "opencode", "copilot"] as const;

export type Client = (typeof CLIENTS)[number];

export type HookEvent =
  /**
   * A conversation starts, continues after a break, or was compacted: the agent must be told where things stand.
   */
  | "session-start"
  | "prompt"
  | "before-tool"
  | "after-tool"
  | "agent-start"
  | "agent-end"
  | "turn-end"
  /** The client's own settings are about to be changed. */
  | "settings"
  /** Any other event; it is allowed. */
  | "other";

export interface HookCall {
  readonly client: Client;
  readonly event: HookEvent;
  /** The client's own name for the event, which some answers must repeat. */
  readonly name: string;
  /** Where the agent works. It may no longer exist, and is empty if the client does not say. */
  readonly cwd: string;
  readonly session: string;
  /** The subagent that acts, if the client says so. Without it, the main agent or an unknown one. */
  readonly agent?: { readonly id: string; readonly type?: string };
  /** The client's id of this use, which connects it with the MCP call that follows. */
  readonly use?: string;
  readonly tool?: ToolUse;
  /** What the user asks for, when a prompt is submitted. */
  readonly prompt?: string;
  /** The client's settings file that is being changed. */
  readonly file?: string;
  /** The last words of a turn or a subagent. */
  readonly said?: string;
  /** Where the client stores the conversation, if it does not pass on the last words. */
  readonly transcript?: string;
  /** Agents still running in the background when a turn ends, if the client says which. */
  readonly working?: readonly string[];
  /** The client continues only because a hook refused the end before. */
  readonly again?: boolean;
}

export type ToolUse =
  | { readonly kind: "read"; readonly name: string; readonly input?: string }
  /** Every path it would write, delete or rename, as the agent gave it. Empty if that is unknown. */
  | { readonly kind: "edit"; readonly name: string; readonly paths: readonly string[] }
  | {
      readonly kind: "shell";
      readonly name: string;
      readonly command: string;
      readonly cwd?: string;
    }
  /** The input is kept as text: a tool of an unknown server may write whatever is named in it. */
  | {
      readonly kind: "mcp";
      readonly name: string;
      readonly server: string;
      readonly tool: string;
      readonly input: string;
    }
  /** A subagent is started. */
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly type: string;
      readonly prompt: string;
    }
  | { readonly kind: "unknown"; readonly name: string; readonly input: string };

/** What to do about it. A client that cannot do one of these does the nearest safe thing. */
export type Verdict =
  | { readonly kind: "allow"; /** Words for the agent. */ readonly tell?: string }
  | { readonly kind: "deny"; readonly reasons: readonly Denial[] }
  /** The turn or the subagent must continue. */
  | { readonly kind: "go-on"; readonly reasons: readonly Denial[] };

export const ALLOWED: Verdict = { kind: "allow" };

/** Why not, by which rule, what to do instead, and how a person lifts it. */
export interface Denial {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly lift: string;
}

/** A verdict in the client's own form: what its hook prints, and its exit code. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}
