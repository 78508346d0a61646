import type { VerifiedWorkflow, VerifyFinding } from "../../../../core/guards/verified.ts";
import type { Parsed, Problem } from "../../../../files/problem.ts";
import { parseAcceptance } from "../acceptance-json.ts";
import { type Aliases, artifactOf, checkArtifact } from "../artifacts.ts";
import { parseHistory } from "../history-jsonl.ts";
import { APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID } from "../names.ts";
import { SESSIONS, isSessionName, sessionPath } from "../session-name.ts";
import { type SessionStatus, parseStatus } from "../status-json.ts";
import { parseTasks } from "../tasks-yaml.ts";
import { type Session, finding, reached, stateFindings } from "./state.ts";

/** Session folders as texts; nothing here reads a disk. */
export interface SessionTree {
  /** By session (folder name), then by path in the folder: `status.json`, `adr/ADR-001.md`. */
  readonly sessions: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Files that exist but cannot be read, by session and path, with the reason. */
  readonly unreadable?: ReadonlyMap<string, ReadonlyMap<string, Unreadable>>;
  readonly aliases?: Aliases;
}

export interface Unreadable {
  readonly message: string;
  readonly fix: string;
}

/** Exit: 0 sound, 1 no status.json, 2 state and files disagree, 3 an approved artifact is wrong, 4 stale. */
export function verifySessionTree(tree: SessionTree): readonly VerifiedWorkflow[] {
  return [...tree.sessions].map(([id, files]) => {
    const found = verifySession(tree, id, files);
    return {
      ...found,
      findings: found.findings.map((one) => ({ ...one, file: pathOf(id, one.file) })),
    };
  });
}

/** A path relative to the top of the tree, so that an editor can open the file. */
function pathOf(id: string, file: string): string {
  return file === "" ? `${SESSIONS}/${id}` : sessionPath(id, file);
}

function verifySession(
  { aliases, unreadable }: SessionTree,
  id: string,
  files: ReadonlyMap<string, string>,
): VerifiedWorkflow {
  const hidden = unreadable?.get(id) ?? new Map<string, Unreadable>();
  const text = (file: string): string | undefined => files.get(file);
  const status = parsed(text("status.json"), (one) => parseStatus(one, { session: id }));
  const mode = modeOf(status.value, files);
  const tasks = parsed(text("tasks.yaml"), (one) => parseTasks(one, { mode }));
  const acceptance = parsed(text("acceptance.json"), parseAcceptance);
  const history = parsed(text("approve-design-history.jsonl"), parseHistory);
  const session: Session = {
    id,
    files,
    status: status.value,
    tasks: tasks.value?.tasks,
    criteria: acceptance.value,
    lean: mode === "lean",
    lines: {
      status: parseStatus(text("status.json") ?? "").lineOf,
      task: (index) => tasks.value?.lineOf(index) ?? 0,
    },
  };
  const findings = [
    ...named("status.json", status.problems),
    ...named("tasks.yaml", tasks.problems),
    ...named("acceptance.json", acceptance.problems),
    ...named("approve-design-history.jsonl", history.problems),
    ...artifactFindings(files, aliases, session.lean),
    ...hiddenFindings(hidden),
    ...folderFindings(session, hidden),
    ...stateFindings(session),
  ];
  return { id, protocol: "team-contract", exit: exitOf(session, findings), findings };
}

function parsed<T>(text: string | undefined, parse: (text: string) => Parsed<T>): Parsed<T> {
  return text === undefined ? { value: undefined, problems: [] } : parse(text);
}

/**
 * Whether the session is lean: as status.json says, or else inferred from one task, no architecture and no gate
 * entry.
 */
export function modeOf(
  status: SessionStatus | undefined,
  files: ReadonlyMap<string, string>,
): "full" | "lean" {
  if (status?.mode === "lean" || status?.mode === "full") return status.mode;
  const gates = status?.decisions.some(({ id }) =>
    [APPROVE_DESIGN_ID, REVIEW_STRATEGY_ID].includes(id),
  );
  const tasks = parseTasks(files.get("tasks.yaml") ?? "").value?.tasks.length;
  const lean = gates !== true && !files.has("architecture.md") && tasks === 1;
  return lean || status?.currentState === "INTAKE_LEAN" ? "lean" : "full";
}

function named(file: string, problems: readonly Problem[]): readonly VerifyFinding[] {
  return problems.map(({ code, line, message, fix, rule }) => ({
    code,
    file,
    line,
    message,
    fix,
    rule,
  }));
}

function artifactFindings(
  files: ReadonlyMap<string, string>,
  aliases: Aliases | undefined,
  lean: boolean,
): readonly VerifyFinding[] {
  return [...files].flatMap(([file, text]) => {
    const artifact = artifactOf(file);
    if (artifact === undefined || (artifact === "architecture" && lean)) return [];
    return named(file, checkArtifact(artifact, text, aliases));
  });
}

/** The state from which on each file must exist. */
const NEEDED: readonly (readonly [string, string, "both" | "full"])[] = [
  ["status.json", "INTAKE", "both"],
  ["spec.md", "DESIGN", "both"],
  ["acceptance.json", "DESIGN", "both"],
  ["architecture.md", "APPROVE_DESIGN", "full"],
  ["tasks.yaml", "REVIEW_STRATEGY", "both"],
  ["report.md", "DONE", "both"],
];

/** File names with a meaning in the contract. Each is checked even if a folder or a link is in its place. */
export const KNOWN_FILES: readonly string[] = [
  "status.json",
  "spec.md",
  "acceptance.json",
  "architecture.md",
  "tasks.yaml",
  "report.md",
  "approve-design-history.jsonl",
];

/** Reports files that exist but cannot be read: links, folders, bytes that are not text, too large. */
function hiddenFindings(hidden: ReadonlyMap<string, Unreadable>): readonly VerifyFinding[] {
  return [...hidden]
    .filter(([file]) => KNOWN_FILES.includes(file) || artifactOf(file) !== undefined)
    .map(([file, { message, fix }]) =>
      finding("artifact-unreadable", file, message, {
        fix,
        rule: file === "status.json" ? "TC-049" : "TC-137",
      }),
    );
}

function folderFindings(
  session: Session,
  hidden: ReadonlyMap<string, Unreadable>,
): readonly VerifyFinding[] {
  const { id, files, lean } = session;
  const missing = NEEDED.filter(
    ([file, from, mode]) =>
      !files.has(file) && !hidden.has(file) && reached(session, from) && !(lean && mode === "full"),
  ).map(([file]) =>
    finding("artifact-missing", file, `${file} is missing`, {
      fix: `Let the agent that makes ${file} run.`,
      rule: file === "status.json" ? "TC-049" : "TC-025",
    }),
  );
  const name = isSessionName(id)
    ? []
    : [
        finding("session-name", "", `"${id}" is not a session name`, {
          fix: "A session lies in .agents-work/YYYY-MM-DD_<slug>/.",
          rule: "TC-022",
        }),
      ];
  return [...name, ...missing];
}

/** The exit code: 1 without status.json, else 3 for a wrong artifact, else 2 for any other contradiction. */
function exitOf(session: Session, findings: readonly VerifyFinding[]): VerifiedWorkflow["exit"] {
  if (session.status === undefined) return 1;
  if (findings.some((one) => ARTIFACT_CODES.includes(one.code))) return 3;
  return findings.some((one) => !WARNING_CODES.includes(one.code)) ? 2 : 0;
}

const ARTIFACT_CODES: readonly string[] = [
  "section-missing",
  "artifact-missing",
  "artifact-unreadable",
];
const WARNING_CODES: readonly string[] = ["section-empty", "report-style", "check-unquoted"];
