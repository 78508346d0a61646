import { checkedProtocol } from "../src/core/table/define.ts";
import type { Protocol } from "../src/core/table/protocol.ts";

/** A protocol of jobs in which nothing is asked or looked at: it only wants deeds. */
export function deedsBy(
  lease: NonNullable<Protocol["lease"]>,
  job: Protocol["kinds"][string],
): Protocol {
  return checkedProtocol({
    name: "deeds",
    version: 1,
    title: "Deeds",
    root: "job",
    lease,
    looks: [],
    vars: {},
    guards: {},
    questions: {},
    work: {},
    effects: ["deed"],
    kinds: { job },
  });
}
