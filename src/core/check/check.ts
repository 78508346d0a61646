import type { Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import { abstractOf } from "./abstract.ts";
import { explore } from "./explore.ts";
import type { Explored } from "./explore.ts";
import { PROPERTIES } from "./finding.ts";
import type { CheckFinding, Property } from "./finding.ts";
import { answersOf } from "./domains.ts";
import { findingsOf } from "./findings.ts";
import { gatesOf } from "./gates.ts";

export { PROPERTIES } from "./finding.ts";
export type { CheckFinding, Property } from "./finding.ts";
export type { Step } from "./explore.ts";

export interface Checked {
  readonly protocol: string;
  readonly version: number;
  readonly proved: readonly Property[];
  readonly findings: readonly CheckFinding[];
  readonly places: number;
  readonly steps: number;
  /** False when the limit was reached: what was not found may still exist. */
  readonly complete: boolean;
}

/** How many places are visited before exploring gives up. */
export const PLACES_MAX = 30_000;

/**
 * Explores every way a protocol can go and proves its promises, or shows the shortest sequence of steps that
 * breaks one.
 */
export function checkProtocol(protocol: Protocol, max: number = PLACES_MAX): Checked {
  const abstract = abstractOf(protocol);
  const gates = gatesOf(protocol);
  const remembered = {
    protocol: abstract.protocol,
    vars: abstract.vars,
    answers: new Set(answersOf(protocol)),
  };
  const input = { abstract, remembered, watcher: gates, max };
  const explored = explore(input);
  const findings = findingsOf({ protocol, explored, input, gates });
  const broken = new Set(findings.map((one) => one.property));
  const proved = isProperties(Object.keys(PROPERTIES)).filter(
    (one) => !broken.has(one) && (explored.complete || one === "remedies"),
  );
  return {
    protocol: protocol.name,
    version: protocol.version,
    proved,
    findings: [...findings, ...tooLarge(explored, max)],
    places: explored.nodes.length,
    steps: explored.nodes.reduce((sum, node) => sum + node.edges.length, 0),
    complete: explored.complete,
  };
}

function isProperties(names: readonly string[]): readonly Property[] {
  return names.filter((name): name is Property => Object.hasOwn(PROPERTIES, name));
}

function tooLarge({ complete, nodes }: Explored, max: number): readonly CheckFinding[] {
  if (complete) return [];
  const far = nodes.at(-1)?.state.units[ROOT]?.at ?? "";
  return [
    {
      property: "settles",
      code: "too-large",
      message: `There are more than ${max} places; exploring ended on the way at "${far}", and what lies beyond is not proved`,
      fix: "Use fewer variables in conditions, fewer questions at once, or split the protocol.",
      steps: [],
    },
  ];
}
