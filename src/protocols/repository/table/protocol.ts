import type { Protocol } from "../../../core/table/protocol.ts";
import { REPOSITORY } from "../../../core/state/policy.ts";

/*
 * What a repository has agreed on, and who agreed: standing ──follow, accept──▶ standing.
 *
 * A policy that asks for more than the accepted one is followed at once. One that asks for less, or lets further keys
 * count, is judged by the accepted one until a person accepts it, proven as that one asks.
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
          set: { accepted: { fact: "basis" } },
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
          set: { accepted: { fact: "basis" } },
          notes: [{ list: "policies", tag: "accepted", text: "{input.reason}" }],
          label: "accept the policy and the keys that are committed now",
          rule: "core",
        },
      ],
    },
  },
  questions: {},
  dispatches: {},
  guards: {},
  vars: { accepted: null },
  looks: [],
  lease: "workflow",
};
