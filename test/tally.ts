/** A family for crowds: every `add` notes a name, and the files count what the journal holds. */
import { checkedProtocol } from "../src/core/table/define.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { defineFamily } from "../src/family/define.ts";
import type { Family, View } from "../src/ports/family.ts";

const protocol = checkedProtocol({
  name: "tally",
  version: 1,
  title: "Tally",
  root: "job",
  lease: "dispatch",
  looks: [],
  vars: {},
  guards: {},
  questions: {},
  work: {},
  kinds: {
    job: {
      states: ["open", "closed"],
      start: "open",
      ends: ["closed"],
      moves: [
        {
          id: "add",
          from: ["open"],
          to: "open",
          notes: [{ list: "added", tag: "{input.reason}", text: "" }],
          rule: "T-1",
        },
        {
          id: "close",
          from: ["open"],
          to: "closed",
          effects: [
            { kind: "commit", args: { subject: "close {id}", body: "", paths: "tally/{id}.txt" } },
          ],
          rule: "T-2",
        },
      ],
    },
  },
});

export const tallyFamily: Family = defineFamily(protocol, { views: [ownView, sharedView] });

/** What was added to a workflow, in the journal's order. */
export function added({ notes }: Workflow): readonly string[] {
  return notes.filter((note) => note.list === "added").map((note) => note.tag);
}

function ownView(state: Workflow): View {
  const text = `${added(state).length}\n`;
  return {
    path: `tally/${state.id}.txt`,
    shared: false,
    render: () => ({ kind: "text", text }),
    drift: (now) => (now === text ? [] : ["the count differs"]),
  };
}

/** One line per workflow: every other line is somebody else's. */
function sharedView(state: Workflow): View {
  const line = `${state.id} ${added(state).length}`;
  const others = (text: string): readonly string[] =>
    text.split("\n").filter((one) => one !== "" && !one.startsWith(`${state.id} `));
  return {
    path: "TALLY.md",
    shared: true,
    render: (text) => ({
      kind: "text",
      text: `${[...others(text ?? ""), line].toSorted().join("\n")}\n`,
    }),
    carry: (head) => `${[...others(head), line].toSorted().join("\n")}\n`,
    drift: (text) => ((text ?? "").split("\n").includes(line) ? [] : ["the line differs"]),
  };
}
