import type { Refusal } from "../core/decide/answer.ts";
import { COMMON_EFFECTS, COMMON_LOOKS } from "../core/table/common.ts";
import { readPlain } from "../core/table/plain.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Remark, Workflow } from "../core/state/state.ts";
import type {
  Adopted,
  Capabilities,
  Family,
  ToldLine,
  VerifiedWorkflow,
  View,
  World,
} from "../ports/family.ts";
import { agentsByTable, commandsByTable } from "./agents.ts";
import { describeByTable } from "./describe.ts";
import { checkSafeName } from "./names.ts";
import { orderByTable } from "./order.ts";
import { readPlainReport } from "./report.ts";
import { CAPABILITIES } from "./shape.ts";
import { stateFile } from "./state-file.ts";
import { varsFromOptions } from "./starting.ts";
import { watchByTable } from "./watch.ts";
import { remedy } from "../core/table/remedy.ts";

/**
 * Connects a protocol to the outside world. A protocol alone is already a working family; each capability
 * replaces a default. Throws if the table asks for something that nobody provides, so that this shows here and
 * not in the middle of a workflow.
 */
export function defineFamily(protocol: Protocol, given: Capabilities = {}): Family {
  refuseMistakes(protocol, given);
  const options = given.starting?.options ?? {};
  const { stateFile: file } = protocol;
  const makers = given.views ?? (file === undefined ? [] : [stateFile(file)]);
  const views = (state: Workflow): readonly View[] =>
    makers.flatMap((view) => view(state, protocol));
  const nothing = nothingToAttest(protocol.title);
  const words = { ...wordsByTable(protocol), ...given.words };
  const called = { commit: "committed", restore: "sealed files restored", ...words.called };
  return {
    protocol,
    names: {
      check: checkSafeName,
      make: async () => ({ kind: "unnamed" }),
      standing: null,
      ...given.names,
    },
    starting: {
      options,
      vars: async (_, __, values) => varsFromOptions(options, values),
      settings: () => ({}),
      ...given.starting,
    },
    views,
    looks: given.looks ?? {},
    work: { ...workByTable(protocol), ...given.work },
    effects: given.effects ?? {},
    checks: { own: async () => [], at: () => "", ...given.checks },
    edits: {
      commands: async () => [],
      unshown: null,
      ...given.edits,
    },
    adopt: {
      discover: async (world) => await journaled(world, protocol),
      read: async (_, id) => notAdoptable(protocol, id),
      ...given.adopt,
    },
    verify: {
      judge: async (world) => (await journaled(world, protocol)).map((id) => sound(protocol, id)),
      headings: HEADINGS,
      ended: () => undefined,
      ...given.verify,
    },
    watch: (state) => {
      if (words.describe(state).finished) return [];
      const usual = watchByTable({ protocol, state, views: views(state) });
      return given.watch === undefined ? usual : given.watch(state, usual);
    },
    audit: { compliance: () => undefined, keepsRefusals: false, ...given.audit },
    choice: given.choice ?? (async () => undefined),
    attest: {
      listed: async () => [],
      finding: async (_, { id }) => ({ kind: "refused", refusals: [nothing(id)] }),
      waivable: async () => undefined,
      ...given.attest,
    },
    words: { ...words, called },
    roots: {
      marks: [],
      worktrees: () => null,
      settings: { settings: { type: "object" } },
      files: [],
      ...given.roots,
    },
  };
}

function workByTable(protocol: Protocol): Family["work"] {
  return {
    order: async (_, state, dispatch) => orderByTable(protocol, state, dispatch),
    read: (text, dispatch) => readPlainReport(protocol, text, dispatch),
    deliver: async () => undefined,
    claimOfFiles: async () => undefined,
    unneeded: () => false,
  };
}

function wordsByTable(protocol: Protocol): Family["words"] {
  return {
    describe: (state) => describeByTable(protocol, state),
    brief: async () => ({ shown: [], advice: [] }),
    gate: () => [],
    aliases: {},
    remarks: (remarks) => remarks.map(plainRemark),
    pace: () => undefined,
    called: {},
    agents: agentsByTable(protocol),
    commands: commandsByTable(protocol),
  };
}

function refuseMistakes(protocol: Protocol, given: Capabilities): void {
  if (!isTable(protocol))
    throw new TypeError("Cannot use family: hand it what defineProtocol answers, then its parts");
  const mistakes = familyMistakes(protocol, given);
  if (mistakes.length > 0)
    throw new TypeError(`Cannot use family "${protocol.name}": ${mistakes.join("; ")}`);
}

function isTable(given: Partial<Protocol> | null | undefined): boolean {
  return typeof given === "object" && given !== null && typeof given.kinds === "object";
}

/** Capabilities of the wrong shape, and everything the table asks for and nobody provides, in sentences. */
export function familyMistakes(protocol: Protocol, given: Capabilities): readonly string[] {
  const { mistakes } = readPlain(given, CAPABILITIES);
  if (mistakes.length > 0) return mistakes;
  return [
    ...lacking(protocol.effects, COMMON_EFFECTS, given.effects).map(
      (kind) => `no adapter performs the effect "${kind}"`,
    ),
    ...lacking(protocol.looks, COMMON_LOOKS, given.looks).map(
      (name) => `nothing looks up "${name}"`,
    ),
  ];
}

/** Names that the protocol declares and neither the engine nor the family provides. */
function lacking(
  declared: readonly string[] = [],
  common: readonly string[],
  own: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  return declared.filter((name) => !common.includes(name) && !Object.hasOwn(own, name));
}

const HEADINGS: Family["verify"]["headings"] = {
  0: "sound",
  1: "NO FILES",
  2: "STATE MISMATCH",
  3: "CHANGED SINCE",
  4: "LEFT OVER",
};

async function journaled(world: World, { name }: Protocol): Promise<readonly string[]> {
  const prefix = `${name}:`;
  return (await world.workflows())
    .filter(({ stream }) => stream.startsWith(prefix))
    .map(({ stream }) => stream.slice(prefix.length));
}

function sound({ name }: Protocol, id: string): VerifiedWorkflow {
  return { id, protocol: name, exit: 0, findings: [] };
}

function notAdoptable({ name, title }: Protocol, id: string): Adopted {
  const refusal: Refusal = {
    code: "adopt-unknown",
    message: `${title} does not say how to read ${id} from files that have no journal`,
    fix: remedy("start", { workflow: id, protocol: name }, "Begin it"),
    rule: "core",
  };
  return { kind: "refused", refusals: [refusal] };
}

function nothingToAttest(title: string): (id: string) => Refusal {
  return (id) => ({
    code: "nothing-to-attest",
    message: `${title} has nothing that a person vouches for by hand`,
    fix: remedy("next", { workflow: id }, "See what is open"),
    rule: "core",
  });
}

function plainRemark({ message }: Remark): ToldLine {
  return { tone: "warn", text: `! ${message}` };
}
