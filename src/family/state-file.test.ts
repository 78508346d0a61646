import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Protocol } from "../core/table/protocol.ts";
import type { Workflow } from "../core/state/state.ts";
import { emptyWorkflow } from "../core/state/evolve.ts";
import type { View } from "../ports/family.ts";
import { stateFile } from "./state-file.ts";

const release: Protocol = {
  name: "release",
  version: 1,
  title: "Releases",
  root: "root",
  kinds: {
    root: {
      states: ["draft", "frozen", "published"],
      start: "draft",
      ends: ["published"],
      moves: [
        { id: "freeze", from: ["draft"], to: "frozen", rule: "r" },
        { id: "publish", from: ["frozen"], to: "published", rule: "r" },
        { id: "reopen", from: ["frozen"], to: "draft", rule: "r" },
      ],
    },
  },
  questions: {},
  work: {},
  guards: {},
  vars: {},
  looks: [],
  lease: "dispatch",
};

function at(state: string, entered = 3, id = "v1.4.0"): Workflow {
  const root = {
    id: ".",
    kind: "root",
    at: state,
    back: [],
    entered: { [state]: entered },
    data: {},
  };
  return { ...emptyWorkflow(id), units: { ".": root } };
}

function viewOf(state: Workflow, path = "RELEASE.md"): View {
  const view = stateFile(path)(state, release);
  if (!("render" in view)) throw new Error("one view was expected");
  return view;
}

function rendered(view: View, text: string | null): string {
  const shown = view.render(text);
  if (shown.kind !== "text") throw new Error(shown.kind);
  return shown.text;
}

const FRESH = `# Releases

<!-- holdpoint:v1.4.0#3 -->
## v1.4.0

- State: draft
<!-- /holdpoint:v1.4.0 -->
`;

describe("a state file", () => {
  test("begins with a heading and the workflow's block", () => {
    expect(rendered(viewOf(at("draft")), null)).toBe(FRESH);
    expect(viewOf(at("draft")).drift(FRESH)).toEqual([]);
  });

  test("another word behind State is the move that leads there", () => {
    const text = FRESH.replace("State: draft", "State: frozen");
    expect(viewOf(at("draft")).claims?.(text)).toEqual([
      { type: "unit.move", unit: ".", move: "freeze" },
    ]);
    expect(viewOf(at("draft")).drift(text)).toEqual([
      'RELEASE.md says v1.4.0 is "frozen", the journal says draft',
    ]);
    expect(viewOf(at("frozen", 5)).drift(rendered(viewOf(at("frozen", 5)), text))).toEqual([]);
  });

  test("a state that no move leads to claims nothing, and is named", () => {
    const text = FRESH.replace("State: draft", "State: published");
    expect(viewOf(at("draft")).claims?.(text)).toEqual([]);
    expect(viewOf(at("draft")).drift(text)).toHaveLength(1);
  });

  test("an old version that git brings back claims nothing", () => {
    expect(viewOf(at("frozen", 5)).claims?.(FRESH)).toEqual([]);
    expect(viewOf(at("frozen", 5)).drift(FRESH)).toHaveLength(1);
  });

  test("words of others in the block are named and go; words around it stay", () => {
    const text = `Hello\n${FRESH.replace("- State: draft", "- State: draft\n- Sealed: nothing")}Bye`;
    expect(viewOf(at("draft")).drift(text)).toEqual([
      'RELEASE.md: the journal does not say "- Sealed: nothing" of v1.4.0',
    ]);
    expect(rendered(viewOf(at("draft")), text)).toBe(`Hello\n${FRESH}Bye`);
  });

  test("marks that do not stand in pairs are not guessed at", () => {
    for (const text of [
      FRESH.replace(/<!-- h.*/, ""),
      FRESH.replace(/<!-- \/.*/, ""),
      FRESH + FRESH,
    ])
      expect(viewOf(at("draft")).render(text).kind).toBe("broken");
  });

  test("several workflows share it, each with its block; a commit carries one of them", () => {
    const both = rendered(viewOf(at("draft", 2, "v1.5.0")), FRESH);
    expect(viewOf(at("draft")).drift(both)).toEqual([]);
    const moved = rendered(viewOf(at("frozen", 9, "v1.5.0")), both);
    const head = viewOf(at("frozen", 9, "v1.5.0")).carry?.(FRESH.replace("draft", "frozen"), moved);
    expect(head).toContain("## v1.5.0\n\n- State: frozen");
    expect(head).toContain("## v1.4.0\n\n- State: frozen");
    expect(viewOf(at("draft"), "releases/{id}.md")).toMatchObject({
      path: "releases/v1.4.0.md",
      shared: false,
    });
  });

  test("every byte around the block stays, rendering twice changes nothing more", () => {
    const eol = fc.constantFrom("\n", "\r\n");
    const prose = fc.array(fc.string({ maxLength: 12 }), { maxLength: 6 });
    fc.assert(
      fc.property(prose, prose, eol, (before, behind, end) => {
        const around = [before.join(end), behind.join(end)] as const;
        const text = `${around[0]}${end}${FRESH.replaceAll("\n", end)}${around[1]}`;
        const view = viewOf(at("frozen", 8));
        const once = rendered(view, text);
        expect(once.startsWith(around[0]) && once.endsWith(around[1])).toBe(true);
        expect(rendered(view, once)).toBe(once);
        expect(view.drift(once)).toEqual([]);
      }),
    );
  });
});
