import type { Protocol } from "../../../core/table/protocol.ts";
import { REPOSITORY } from "../../../core/state/policy.ts";

/*
 * What a repository has agreed on, and who agreed: standing ──follow, accept, fence, unfence──▶ standing.
 *
 * A policy that asks for more than the accepted one is followed at once. One that asks for less, or lets further keys
 * count, is judged by the accepted one until a person accepts it, proven as that one asks.
 *
 * The length of all journals at that moment is recorded with it: later records came afterwards, whatever their dates say.
 *
 * The fence around protected branches is put up, taken down and opened for one move by people. Anybody may ask for it
 * to be opened.
 */
export const repositoryProtocol: Protocol = {
  name: REPOSITORY,
  version: 1,
  title: "Repository",
  root: "repository",
  kinds: {
    repository: {
      states: ["standing"],
      start: "standing",
      ends: [],
      moves: [
        {
          id: "follow",
          from: ["standing"],
          to: "standing",
          inside: true,
          by: ["engine"],
          set: { accepted: { fact: "basis" }, heads: { fact: "heads" } },
          label: "follow a policy that asks for more",
          rule: "core",
        },
        {
          id: "accept",
          from: ["standing"],
          to: "standing",
          inside: true,
          by: ["person"],
          why: true,
          set: { accepted: { fact: "basis" }, heads: { fact: "heads" } },
          notes: [{ list: "policies", tag: "accepted", text: "{input.reason}" }],
          label: "accept the policy and the keys that are committed now",
          rule: "core",
        },
        {
          id: "fence",
          from: ["standing"],
          to: "standing",
          inside: true,
          by: ["person"],
          whileHeld: true,
          set: { fence: { input: "fence" } },
          label: "put a fence around protected branches",
          rule: "core",
        },
        {
          id: "unfence",
          from: ["standing"],
          to: "standing",
          inside: true,
          by: ["person"],
          whileHeld: true,
          why: true,
          set: { fence: { value: null } },
          notes: [{ list: "fence", tag: "taken down", text: "{input.reason}" }],
          label: "take the fence down",
          rule: "core",
        },
      ],
    },
  },
  questions: {
    "open-fence": {
      prompt: "Let {about.branch} move once, from {about.from} to {about.to}? {about.reason}",
      options: [
        { id: "open", label: "Let it make this one move, within 15 minutes", does: [] },
        { id: "no", label: "Leave the fence shut", does: [] },
      ],
      by: ["person", "agent"],
      other: false,
      explicit: true,
      rule: "core",
    },
  },
  work: {},
  guards: {},
  vars: { accepted: null, heads: null, fence: null },
  looks: [],
  lease: "workflow",
};
