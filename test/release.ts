/** The protocol of the tutorial: a release that two people must agree to. */
import { defineProtocol } from "../src/core/table/define.ts";
import { changed, exists, passed, sealed } from "../src/core/guards/guards.ts";
import type { Protocol } from "../src/core/table/protocol.ts";

/** draft → frozen → tested → approved → published */
export const release: Protocol = defineProtocol({
  name: "release-checklist",
  version: 1,
  title: "Release checklist",
  states: ["draft", "frozen", "tested", "approved", "published"],
  start: "draft",
  ends: ["published"],
  work: {
    write: {
      role: "engineer",
      order: "Describe {id} in CHANGELOG.md.",
      makes: ["CHANGELOG.md"],
      done: "freeze",
      within: { times: 3, else: "unwritten" },
    },
    repair: {
      role: "engineer",
      order: "Make the tests pass.",
      makes: ["src/**", "test/**"],
      done: "test",
      within: { times: 3, else: "stuck" },
    },
  },
  questions: {
    approve: {
      prompt: "Publish {id}?",
      binds: ["tree:.", "CHANGELOG.md"],
      people: 2,
      options: {
        yes: { label: "Publish", recommended: true, does: "approve" },
        no: { label: "Back to draft", people: 1, does: "reopen" },
      },
    },
    unwritten: {
      prompt: "Nobody could describe {id}.",
      options: { again: { label: "Try again" } },
    },
    stuck: {
      prompt: "Three repairs did not help.",
      options: {
        again: { label: "Try again", does: [{ send: "repair" }] },
        back: { label: "Back to draft", does: "reopen" },
      },
    },
  },
  moves: {
    freeze: {
      from: "draft",
      to: "frozen",
      seals: ["CHANGELOG.md"],
      needs: [
        exists(["CHANGELOG.md"], { code: "no-changelog", fix: "Write CHANGELOG.md." }),
        changed(["CHANGELOG.md"], { code: "nothing-new", fix: "Describe this release." }),
      ],
    },
    test: {
      from: "frozen",
      to: "tested",
      runs: ["tests"],
      ask: "approve",
      needs: [
        sealed(["CHANGELOG.md"], { code: "changed-since", fix: "Reopen the draft." }),
        passed("tests", ["tree:."], { code: "tests-red", fix: "Repair what is red." }),
      ],
    },
    red: { from: "frozen", to: "frozen", send: "repair" },
    approve: { from: "tested", to: "approved", by: [] },
    publish: { from: "approved", to: "published", by: ["person"] },
    reopen: { from: ["frozen", "tested"], to: "draft", by: ["person"], unseals: ["CHANGELOG.md"] },
  },
});
