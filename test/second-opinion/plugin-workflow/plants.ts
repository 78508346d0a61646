/** Drift and lies, planted into the files of a plugin: the failure modes that the sources list, one after another. */
import { digestOf } from "./files.ts";

/** What a plant needs of a repository. */
export interface Ground {
  readonly edit: (path: string, change: (text: string) => string) => void;
  readonly write: (path: string, text: string) => void;
  readonly remove: (path: string) => void;
}

/** Where the plugin stands when it is planted. */
export type Stand = "s2" | "phase" | "working" | "installed";

export interface Plant extends Seed {
  /** One of those by which it is tried that no work is handed out. */
  readonly stops: boolean;
}

interface Seed {
  readonly at: Stand;
  readonly name: string;
  readonly plant: (ground: Ground) => void;
}

const STOPPING: readonly string[] = [
  "YAML that is none",
  "no handoff",
  "stage: 3",
  "the row is ahead",
  "the entry is ahead",
  "no row",
  "no entry",
  "two rows",
  "two entries",
  "plan.md changed",
  "architecture.md gone",
  "a stage claimed in every place",
];

const NAME = "TapeDelay";
const HANDOFF = `plugins/${NAME}/.continue-here.md`;
const idea = (file: string): string => `plugins/${NAME}/.ideas/${file}`;

function field(key: string, value: string, at: Stand = "s2"): Seed {
  return {
    at,
    name: `${key}: ${value}`,
    plant: ({ edit }) =>
      edit(HANDOFF, (text) =>
        text.replace(new RegExp(`^( *)${key}:.*$`, "m"), `$1${key}: ${value}`),
      ),
  };
}

function without(key: string): Seed {
  return {
    at: "s2",
    name: `no ${key}`,
    plant: ({ edit }) =>
      edit(HANDOFF, (text) => text.replace(new RegExp(`^ *${key}:.*\n`, "m"), "")),
  };
}

function section(title: string): Seed {
  return {
    at: "s2",
    name: `no section ${title}`,
    plant: ({ edit }) =>
      edit(HANDOFF, (text) =>
        text.replace(new RegExp(`^## ${title}[^]*?(?=^## |$(?![^]))`, "m"), ""),
      ),
  };
}

function registry(name: string, change: (text: string) => string, at: Stand = "s2"): Seed {
  return { at, name, plant: ({ edit }) => edit("PLUGINS.md", change) };
}

function contract(file: string): readonly Seed[] {
  return [
    { at: "s2", name: `${file} changed`, plant: ({ write }) => write(idea(file), "less\n") },
    { at: "s2", name: `${file} gone`, plant: ({ remove }) => remove(idea(file)) },
  ];
}

const HANDOFF_PLANTS: readonly Seed[] = [
  {
    at: "s2",
    name: "YAML that is none",
    plant: ({ edit }) => edit(HANDOFF, (text) => text.replace("stage: 2", "stage: [2")),
  },
  {
    at: "s2",
    name: "no front matter",
    plant: ({ edit }) => edit(HANDOFF, (text) => text.replace(/^---\n[^]*?\n---\n/, "")),
  },
  field("plugin", "Other"),
  ...["foo", "7", "-1", "2.5"].map((value) => field("stage", value)),
  ...["4", "a.b", "3.1.2", "none"].map((value) => field("phase", value, "phase")),
  field("status", "done"),
  ...["2025-13-40", "2025-11-13T10:00:00Z", "yesterday"].map((value) =>
    field("last_updated", value),
  ),
  ...["0.4", "5.5", "null", "high"].map((value) => field("complexity_score", value)),
  ...['"yes"', "null"].map((value) => field("phased_implementation", value)),
  field("orchestration_mode", "false"),
  ...["sha256:xyz", "md5:d41d8cd98f00b204e9800998ecf8427e"].map((value) => field("plan", value)),
  ...["plugin", "stage", "status", "last_updated", "complexity_score", "phased_implementation"].map(
    (key) => without(key),
  ),
  without("architecture"),
  {
    at: "s2",
    name: "no contract_checksums",
    plant: ({ edit }) =>
      edit(HANDOFF, (text) => text.replace(/^contract_checksums:\n(?: {2}.*\n)+/m, "")),
  },
  ...[
    "Current State",
    "Completed So Far",
    "Next Steps",
    "Build Artifacts",
    "Testing Checklist",
    "Context to Preserve",
  ].map((title) => section(title)),
  {
    at: "s2",
    name: "no title",
    plant: ({ edit }) => edit(HANDOFF, (text) => text.replace(/^# .*\n/m, "")),
  },
];

const REGISTRY_PLANTS: readonly Seed[] = [
  registry("the row is ahead", (text) => text.replace("| 🚧 Stage 2 |", "| 🚧 Stage 3 |")),
  registry("the entry is ahead", (text) =>
    text.replace("**Status:** 🚧 Stage 2", "**Status:** 🚧 Stage 3"),
  ),
  registry("another emoji in the row", (text) => text.replace("| 🚧 Stage 2 |", "| ✅ Stage 2 |")),
  registry(
    "3.1 becomes 31",
    (text) => text.replace("| 🚧 Stage 3.1 |", "| 🚧 Stage 31 |"),
    "phase",
  ),
  registry("no row", (text) => text.replace(/^\| TapeDelay .*\n/m, "")),
  registry("no entry", (text) => text.replace(/^### TapeDelay\n[^]*/m, "")),
  registry("neither row nor entry", (text) =>
    text.replace(/^\| TapeDelay .*\n/m, "").replace(/^### TapeDelay\n[^]*/m, ""),
  ),
  registry("two rows", (text) => text.replace(/^\| TapeDelay .*\n/m, "$&$&")),
  registry("two entries", (text) => text.replace(/^### TapeDelay\n[^]*/m, "$&\n$&")),
  registry("no status in the entry", (text) => text.replace(/^\*\*Status:\*\*.*\n/m, "")),
  registry("a status nobody knows", (text) => text.replaceAll("🚧 Stage 2", "🚧 Stage 9")),
  registry("a wider cell", (text) => text.replace("| TapeDelay |", "|  TapeDelay  |")),
  registry("an empty line below the heading", (text) =>
    text.replace("### TapeDelay\n", "### TapeDelay\n\n"),
  ),
  registry("another date in the row", (text) =>
    text.replace(/^(\| TapeDelay .*) \S+ \|$/m, "$1 2020-01-01 |"),
  ),
  registry("a timeline out of order", (text) =>
    text.replace(/^- \*\*\S+ \(Stage 0\)/m, "- **2031-01-01 (Stage 0)"),
  ),
  registry("a timeline line without its stage", (text) => text.replace(" (Stage 2):**", ":**")),
  registry("a timeline line that is none", (text) =>
    text.replace(/^- \*\*\S+ \(Stage 2\):\*\*/m, "- Stage 2:"),
  ),
];

const BOTH_PLANTS: readonly Seed[] = [
  { at: "s2", name: "no handoff", plant: ({ remove }) => remove(HANDOFF) },
  field("stage", "3"),
  field("stage", "5"),
  field("phase", '"3.2"', "phase"),
  field("status", "workflow_complete"),
  {
    at: "s2",
    name: "work that is two stages ahead",
    plant: ({ edit }) =>
      edit(HANDOFF, (text) =>
        text.replace("stage: 2", "stage: 4").replace("status: complete", "status: in_progress"),
      ),
  },
  registry("installed, with the handoff of a stage", (text) =>
    text.replaceAll("🚧 Stage 2", "📦 Installed"),
  ),
  registry(
    "installed, with the handoff of validation",
    (text) => text.replaceAll("✅ Working", "📦 Installed"),
    "working",
  ),
  registry(
    "improving, with the handoff of validation",
    (text) => text.replaceAll("✅ Working", "🚧 Improving"),
    "working",
  ),
  registry(
    "finished, then a stage again",
    (text) => text.replaceAll("📦 Installed", "🚧 Stage 3"),
    "installed",
  ),
  {
    at: "s2",
    name: "a stage claimed in every place",
    plant: ({ edit }) => {
      edit(HANDOFF, (text) => text.replace("stage: 2", "stage: 3"));
      edit("PLUGINS.md", (text) => text.replaceAll("🚧 Stage 2", "🚧 Stage 3"));
    },
  },
  {
    at: "s2",
    name: "stages skipped in every place",
    plant: ({ edit }) => {
      edit(HANDOFF, (text) => text.replace("stage: 2", "stage: 4"));
      edit("PLUGINS.md", (text) => text.replaceAll("🚧 Stage 2", "🚧 Stage 4"));
    },
  },
  {
    at: "s2",
    name: "a line of prose that looks like a checksum",
    plant: ({ edit }) => edit(HANDOFF, (text) => `${text}\n- see plan: x.md\n`),
  },
  {
    at: "s2",
    name: "a contract changed and sealed anew by hand",
    plant: ({ edit, write }) => {
      write(idea("plan.md"), "less\n");
      edit(HANDOFF, (text) => text.replace(/^ {2}plan: .*$/m, `  plan: ${digestOf("less\n")}`));
    },
  },
];

export const PLANTS: readonly Plant[] = [
  ...HANDOFF_PLANTS,
  ...REGISTRY_PLANTS,
  ...["creative-brief.md", "parameter-spec.md", "architecture.md", "plan.md"].flatMap((file) =>
    contract(file),
  ),
  ...BOTH_PLANTS,
].map((one) => ({ ...one, stops: STOPPING.includes(one.name) }));
