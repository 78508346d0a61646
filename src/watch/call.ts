/** What an agent's client says through its hooks, in one form for all clients. */

export const CLIENTS = ["claude", "codex", "gemini", "opencode", "copilot"] as const;

export type Client = (typeof CLIENTS)[number];

export type HookEvent =
  /** A conversation begins, goes on after a break, or was compacted: the agent has to be told where things stand. */
  | "session-start"
  | "prompt"
  | "before-tool"
  | "after-tool"
  | "agent-start"
  | "agent-end"
  | "turn-end"
  /** The client's own settings are being changed. */
  | "settings"
  /** Whatever else a client may tell; it is let pass. */
  | "other";

export interface HookCall {
  readonly client: Client;
  readonly event: HookEvent;
  /** The client's own name for the event, which some answers must repeat. */
  readonly name: string;
  /** Where the agent works; it may be gone, and empty where the client does not say. */
  readonly cwd: string;
  readonly session: string;
  /** The subagent that acts, where the client says so; without it, the main agent or nobody knows. */
  readonly agent?: { readonly id: string; readonly type?: string };
  /** The client's name for this use of a tool, by which an MCP call can be told to be the same one. */
  readonly use?: string;
  readonly tool?: ToolUse;
  /** What the user asks for, where a prompt is submitted. */
  readonly prompt?: string;
  /** The file with the client's settings that is being changed. */
  readonly file?: string;
  /** The last words of a turn or of a subagent. */
  readonly said?: string;
  /** Where the client keeps the conversation, if it does not pass the last words on. */
  readonly transcript?: string;
  /** Agents that still work in the background while a turn ends, where the client says which. */
  readonly working?: readonly string[];
  /** The client goes on only because a hook has refused the end before. */
  readonly again?: boolean;
}

export type ToolUse =
  | { readonly kind: "read"; readonly name: string }
  /** Every path it would write, delete or rename, as the agent gave it; none where that cannot be told. */
  | { readonly kind: "edit"; readonly name: string; readonly paths: readonly string[] }
  | {
      readonly kind: "shell";
      readonly name: string;
      readonly command: string;
      readonly cwd?: string;
    }
  /** What goes in is kept as text: a server that nobody knows may write what is named there. */
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

/** What is to be done about it. A client that cannot do one of these does what comes nearest and is safe. */
export type Verdict =
  | { readonly kind: "allow"; /** Words for the agent. */ readonly tell?: string }
  | { readonly kind: "deny"; readonly reasons: readonly Denial[] }
  /** The turn or the subagent goes on. */
  | { readonly kind: "go-on"; readonly reasons: readonly Denial[] };

export const ALLOWED: Verdict = { kind: "allow" };

/** Why not, which rule says so, what may be done instead, and how a person lifts it. */
export interface Denial {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  readonly lift: string;
}

/** The client's own form of a verdict: what its hook prints and how it ends. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}
