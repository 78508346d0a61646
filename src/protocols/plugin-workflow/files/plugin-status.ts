/**
 * Status texts of the plugin registry.
 *
 *   💡 Ideated [(Draft Params)]   🚧 Stage N[.M]   🚧 Improving   ✅ Working [(Headless)]
 *   📦 Installed   🗑️ Archived
 *
 * read also: milestone wording (`🎵 Processing Audio`), remarks in brackets, `🐛 Has Issues`
 * beside any of them. Written: only the numeric texts above.
 */

export type StatusId =
  | "ideated"
  | "ideated-draft"
  | "stage"
  | "improving"
  | "working"
  | "working-headless"
  | "installed"
  | "archived"
  | "unknown";

export interface PluginStatus {
  readonly id: StatusId;
  /** Only for the id `stage`. */
  readonly stage: number | undefined;
  /** `"3.2"`; only for the id `stage`. */
  readonly phase: string | undefined;
  readonly emoji: string;
  /** The words without emoji and Markdown marks, as found. */
  readonly text: string;
  readonly hasIssues: boolean;
}

/** Where a plugin stands, independent of wording. */
export interface StatusPosition {
  readonly id: Exclude<StatusId, "unknown">;
  readonly stage?: number | undefined;
  readonly phase?: string | undefined;
}

export function parseStatus(text: string): PluginStatus {
  const normal = normalizeStatus(text.slice(0, STATUS_MAX));
  const hasIssues = normal.includes("🐛");
  const rest = normal
    .replace(/🐛(?: Has Issues)?/gu, "")
    .replace(/ {2,}/g, " ")
    .trim();
  const emoji = EMOJI.exec(rest)?.[0] ?? (rest === "" && hasIssues ? "🐛" : "");
  const words = rest.slice(rest === "" ? 0 : emoji.length).trim();
  const position = stageOf(emoji, words) ?? wordingOf(emoji, words) ?? NOWHERE;
  return { ...position, emoji, text: words, hasIssues };
}

/** The canonical text; undefined for a position that no file may have (`Stage 9`, `Stage 2.1`). */
export function formatStatus(position: StatusPosition): string | undefined {
  const { id, stage, phase } = position;
  if (id !== "stage") return STATUS_TEXTS[id];
  if (stage === undefined || !WRITTEN_STAGES.includes(stage)) return undefined;
  if (phase === undefined) return `🚧 Stage ${stage}`;
  const legal =
    PHASED_STAGES.includes(stage) && /^\d\.[1-9]\d*$/.test(phase) && phase.startsWith(`${stage}.`);
  return legal ? `🚧 Stage ${phase}` : undefined;
}

/** Equal except for Markdown marks, surrounding spaces and the emoji variation selector. */
export function sameStatus(a: string, b: string): boolean {
  return normalizeStatus(a) === normalizeStatus(b);
}

export function normalizeStatus(text: string): string {
  return text
    .replace(/\*\*|__|[*_`]/g, "")
    .replaceAll("\uFE0F", "")
    .trim();
}

/** Whether `formatStatus` could produce this text. */
export function isWritableStatus(text: string): boolean {
  const { id, stage, phase } = parseStatus(text);
  if (id === "unknown") return false;
  return (
    formatStatus({ id, stage, phase })?.replaceAll("\uFE0F", "") === text.replaceAll("\uFE0F", "")
  );
}

/** No known status is longer. Cutting a longer text only loses a remark, or leaves it unknown. */
const STATUS_MAX = 200;
const EMOJI = /^\p{Extended_Pictographic}/u;
const WRITTEN_STAGES: readonly number[] = [0, 2, 3, 4, 5];
const PHASED_STAGES: readonly number[] = [3, 4];

const STATUS_TEXTS: { readonly [K in Exclude<StatusId, "stage" | "unknown">]: string } = {
  ideated: "💡 Ideated",
  "ideated-draft": "💡 Ideated (Draft Params)",
  improving: "🚧 Improving",
  working: "✅ Working",
  "working-headless": "✅ Working (Headless)",
  installed: "📦 Installed",
  archived: "🗑️ Archived",
};

interface Position {
  readonly id: StatusId;
  readonly stage: number | undefined;
  readonly phase: string | undefined;
}

const NOWHERE: Position = { id: "unknown", stage: undefined, phase: undefined };

/** `Stage 4`, `Stage 4.1`, `Stage 4 (Complete)`, `Stage 4 (Phase 4.1 complete)`. */
function stageOf(emoji: string, words: string): Position | undefined {
  if (emoji !== "🚧" && emoji !== "") return undefined;
  const match = /^Stage ([0-6])(?:\.([1-9]\d*))?(?: \((.*)\))?$/i.exec(words);
  if (match === null) return undefined;
  const stage = Number(match[1]);
  const named = /\bphase (\d\.\d+)/i.exec(match[3] ?? "")?.[1];
  const phase = match[2] === undefined ? named : `${stage}.${match[2]}`;
  return { id: "stage", stage, phase: phase?.startsWith(`${stage}.`) === true ? phase : undefined };
}

/** Ignores a remark in brackets unless it names a stage: then the status claims two places at once. */
function wordingOf(emoji: string, words: string): Position | undefined {
  const exact = WORDINGS.find((one) => one.words === words.toLowerCase());
  const bare = words.replace(/\s*\((?!.*\bstage\b).*\)$/i, "").toLowerCase();
  const found = exact ?? WORDINGS.find((one) => one.words === bare);
  if (found === undefined || (emoji !== "" && emoji !== found.emoji)) return undefined;
  return { id: found.id, stage: found.stage, phase: undefined };
}

interface Wording {
  readonly emoji: string;
  readonly words: string;
  readonly id: StatusId;
  readonly stage?: number;
}

const WORDINGS: readonly Wording[] = [
  { emoji: "💡", words: "ideated (draft params)", id: "ideated-draft" },
  { emoji: "💡", words: "ideated", id: "ideated" },
  { emoji: "💡", words: "concept ready", id: "ideated" },
  { emoji: "🔬", words: "researching", id: "stage", stage: 0 },
  { emoji: "📋", words: "planning", id: "stage", stage: 0 },
  { emoji: "🔨", words: "building system", id: "stage", stage: 2 },
  { emoji: "🎵", words: "processing audio", id: "stage", stage: 3 },
  { emoji: "🎨", words: "designing interface", id: "stage", stage: 4 },
  { emoji: "✅", words: "validating", id: "stage", stage: 5 },
  { emoji: "✅", words: "ready to install", id: "working" },
  { emoji: "✅", words: "working (headless)", id: "working-headless" },
  { emoji: "✅", words: "working", id: "working" },
  { emoji: "📦", words: "installed", id: "installed" },
  { emoji: "🚧", words: "improving", id: "improving" },
  { emoji: "🗑", words: "archived", id: "archived" },
];
