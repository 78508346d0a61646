import type { Note, Workflow } from "../../../core/state/state.ts";
import type { View } from "../../../ports/family.ts";
import { homeOf } from "../table/paths.ts";

/**
 * `.validation-overrides.yaml`: a list of every gate a person went past, with the reason. Entries are only
 * ever added; one that is there already, by its time, is left as it stands.
 */
export function overridesView(state: Workflow): View {
  const overrides = state.notes.filter((note) => note.list === "overrides");
  return {
    path: `${homeOf(state.id)}/.validation-overrides.yaml`,
    shared: false,
    render: (text) => {
      const missing = overrides.filter((note) => text?.includes(stampOf(note)) !== true);
      if (state.units["."]?.at === "removed") return { kind: "absent" };
      if (missing.length === 0) return text === null ? { kind: "absent" } : { kind: "text", text };
      const before =
        text === null || text === "" || text.endsWith("\n") ? (text ?? "") : `${text}\n`;
      return { kind: "text", text: before + missing.map(entryOf).join("") };
    },
    drift: () => [],
  };
}

function stampOf({ at }: Note): string {
  return `timestamp: ${at}`;
}

/** Written as a JSON string, which is also valid YAML, whatever the reason contains. */
function entryOf(note: Note): string {
  return [
    `- ${stampOf(note)}`,
    `  validation-agent: ${note.tag}`,
    "  stage: 2",
    "  severity: error",
    `  override-reason: ${JSON.stringify(note.text)}`,
    "  findings: []",
    "",
  ].join("\n");
}
