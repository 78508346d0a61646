/**
 * Which task may be taken. Lock, owner and worktree are read together and give exactly one answer:
 *
 *   lock      owner     worktree   answer
 *   yes       mine      yes        RESUME                carry on from the recorded state
 *   yes       mine      no         ERROR_ASK_USER        inconsistent: a person looks at it
 *   yes       another   yes, no    SELECT_ALTERNATIVE    the other may be starting right now
 *   no        -         yes        ASK_USER              crash or manual work: never just taken
 *   no        -         no         PROCEED_WITH_INIT
 *
 * A lock that cannot be read, or names nobody, is somebody else's.
 */
export type Selection =
  | "RESUME"
  | "ERROR_ASK_USER"
  | "SELECT_ALTERNATIVE"
  | "ASK_USER"
  | "PROCEED_WITH_INIT";

export type LockOwner = "none" | "mine" | "another" | "unreadable";

export function select(lock: LockOwner, worktree: boolean): Selection {
  switch (lock) {
    case "none":
      return worktree ? "ASK_USER" : "PROCEED_WITH_INIT";
    case "mine":
      return worktree ? "RESUME" : "ERROR_ASK_USER";
    case "another":
    case "unreadable":
      return "SELECT_ALTERNATIVE";
  }
}

/** Who a lock's session id stands for. An unreadable one is never mine. */
export function ownerOf(sessionId: unknown, session: string): LockOwner {
  if (typeof sessionId !== "string" || sessionId.trim() === "") return "unreadable";
  return sessionId === session ? "mine" : "another";
}

export interface Entry {
  readonly name: string;
  readonly status: "READY" | "BLOCKED" | "IN_PROGRESS";
  readonly blockedBy: readonly string[];
}

export interface Place {
  readonly lock: LockOwner;
  readonly worktree: boolean;
}

export interface NextTask {
  /** Null if nothing can be started. */
  readonly task: string | null;
  readonly counts: Counts;
  readonly checked: readonly Checked[];
}

export interface Checked {
  readonly task: string;
  readonly selection: Selection | "BLOCKED";
  readonly why: string;
}

export interface Counts {
  readonly total: number;
  readonly ready: number;
  readonly locked: number;
  readonly blocked: number;
}

/** The first READY entry that nobody has. Every entry is checked, and all checks are shown. */
export function nextTask(entries: readonly Entry[], placeOf: (task: string) => Place): NextTask {
  const checked = entries.map((entry) => check(entry, placeOf(entry.name)));
  const free = checked.filter((one) => one.selection === "PROCEED_WITH_INIT");
  const blocked = checked.filter((one) => one.selection === "BLOCKED").length;
  const [total, ready] = [entries.length, free.length];
  const counts = { total, ready, locked: total - ready - blocked, blocked };
  return { task: free[0]?.task ?? null, counts, checked };
}

function check(entry: Entry, place: Place): Checked {
  const { name: task, status, blockedBy } = entry;
  const selection = select(place.lock, place.worktree);
  if (selection === "PROCEED_WITH_INIT" && status !== "READY") {
    const why = blockedBy.length === 0 ? status : `waits for ${blockedBy.join(", ")}`;
    return { task, selection: "BLOCKED", why };
  }
  return { task, selection, why: WHY[selection] };
}

const WHY: Readonly<Record<Selection, string>> = {
  RESUME: "this session has it already",
  ERROR_ASK_USER: "this session has it, but its worktree is gone",
  SELECT_ALTERNATIVE: "another session has it",
  ASK_USER: "a worktree without a lock: a person decides",
  PROCEED_WITH_INIT: "free",
};

/** Example values for a session id, which are not real ids. */
const PLACEHOLDERS: readonly string[] = [
  "unique-session-identifier",
  "session_uuid",
  "session-id",
  "session_id",
  "uuid",
  "null",
  "undefined",
  "unknown",
];

export function sessionProblem(session: string): string | undefined {
  const id = session.trim();
  if (id === "") return "the session id is empty";
  if (PLACEHOLDERS.includes(id.toLowerCase()) || /^[<{$]/.test(id))
    return `"${id}" is a placeholder, not a session id`;
  return undefined;
}
