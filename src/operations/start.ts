import type { JsonObject } from "../core/values/json.ts";
import { unusableProtocols } from "../engine/intake/find.ts";
import { start as begin } from "../engine/engine.ts";
import { openWorld, protocolOf, uncounted } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import type { Family, StartOptions, World } from "../ports/family.ts";
import { answerTo, refusedAnswer, usage } from "./parts/answers.ts";
import type { Answered, FailedAnswer, RefusedAnswer, Taken } from "./parts/answers.ts";
import { nearest } from "../core/values/nearest.ts";
import { inputOf, text, values } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";

export type StartInput = {
  readonly workflow?: string;
  readonly protocol?: string;
  readonly options?: JsonObject;
};

export const start: Operation<StartInput, Answered<Taken>> = told({
  name: "start",
  purpose: "Begin a workflow",
  input: inputOf<StartInput>({
    required: {},
    optional: {
      workflow: text("its name; some protocols make one from their options"),
      protocol: text(
        "which protocol it follows; needed where this repository shows more than one, or none",
      ),
      options: values("what the protocol wants to know at the start"),
    },
  }),
  result: TAKEN,
  examples: [
    {
      workflow: "TapeDelay",
      protocol: "plugin-workflow",
      options: { brief: "A warm delay" },
    },
    { workflow: "add-parser", protocol: "task-protocol", options: { feasibility: "yes" } },
    {
      protocol: "team-contract",
      options: { goal: "Add dark mode", "project-type": "web" },
    },
    { protocol: "team-contract", options: { goal: "Fix the typo in the help", lean: true } },
  ],
  run,
});

async function run({ parts, caller }: Context, input: StartInput): Promise<Answered<Taken>> {
  const family = await familyFor(parts, input);
  if ("ok" in family) return family;
  const options = optionsFor(family, input.options ?? {});
  if ("ok" in options) return options;
  const named =
    input.workflow === undefined
      ? await family.names.make(openWorld(parts), options.given)
      : ({ kind: "named", id: input.workflow } as const);
  if (named.kind === "refused") return refusedAnswer(named.refusals);
  if (named.kind === "unnamed") return usage("start needs one name.", "Give the workflow a name.");
  const request = { id: named.id, options: options.given, caller };
  return answerTo(await begin(parts, family, request), { family });
}

/** The named protocol, or the only one that can be meant here. */
async function familyFor(
  parts: Parts,
  { protocol, workflow }: StartInput,
): Promise<Family | FailedAnswer | RefusedAnswer> {
  const named = protocol === undefined ? undefined : await parts.families.get(protocol);
  if (named !== undefined) return named;
  const unusable = protocol === undefined ? [] : await unusableProtocols(parts.families);
  if (unusable.length > 0) return refusedAnswer(unusable);
  const families = await startable(parts);
  const shown = protocol === undefined ? await shownHere(parts, families) : [];
  const [only, second] = shown;
  if (only !== undefined && second === undefined) return only;
  const choices = families.map((one) => ({
    operation: "start",
    input: {
      ...(workflow === undefined ? {} : { workflow }),
      protocol: one.protocol.name,
    },
    says: one.protocol.title,
  }));
  const names = families.map((one) => one.protocol.name);
  const like = protocol === undefined ? undefined : nearest(protocol, names);
  return protocol === undefined
    ? usage(
        ["start needs to know which protocol is meant.", ...(await brokenHere(parts))].join(" "),
        "Name one of them.",
        choices,
      )
    : usage(
        `There is no protocol "${protocol}".`,
        [
          like === undefined ? `Protocols: ${names.join(", ")}.` : `Did you mean ${like}?`,
          ...uncounted(parts),
        ].join(" "),
        choices,
      );
}

/** A file that cannot be used may hold the protocol that was meant. */
async function brokenHere({ families }: Parts): Promise<readonly string[]> {
  return (await families.problems()).map(({ message }) => `${message}.`);
}

/** Families whose workflows can be started. One that always has a workflow is left out. */
export async function startable({ families }: Parts): Promise<readonly Family[]> {
  return (await families.all()).filter((one) => one.names.standing === null);
}

/**
 * Protocols in use here, recognised by their files or journals, so that nobody starts another one by accident.
 */
export async function shownHere(
  parts: Parts,
  families: readonly Family[],
): Promise<readonly Family[]> {
  if (families.length === 1) return families;
  const world = openWorld(parts);
  const running = new Set((await parts.journal.list()).map(({ stream }) => protocolOf(stream)));
  const shown = await Promise.all(
    families.map(async (one) => {
      const { name } = one.protocol;
      // Protocols named in the repository's configuration count as in use.
      const isOwn = !parts.families.names.includes(name);
      return isOwn || running.has(name) || (await showsItself(world, one));
    }),
  );
  return families.filter((_, index) => shown[index] === true);
}

async function showsItself(world: World, { roots, adopt, choice }: Family): Promise<boolean> {
  for (const mark of roots.marks) {
    const there = (await world.workspace.digest(mark)) !== undefined;
    if (there || (await world.workspace.list(mark)).length > 0) return true;
  }
  return (await adopt.discover(world)).length > 0 || (await choice(world)) !== undefined;
}

/** Only options that the protocol knows: a misspelt one would silently have no effect. */
function optionsFor(
  { starting, protocol }: Family,
  given: JsonObject,
): { readonly given: StartOptions } | FailedAnswer {
  const known = Object.keys(starting.options);
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(starting.options, name) ? starting.options[name] : undefined;
    if (option === undefined) {
      const like = nearest(name, known);
      const fix = like === undefined ? `It has: ${known.join(", ")}.` : `Did you mean ${like}?`;
      return usage(`${protocol.title} has no option "${name}".`, fix);
    }
    if (typeof value !== option.type)
      return usage(`The option ${name} is a ${option.type}.`, option.about);
  }
  const values = Object.entries(given).filter(
    (entry): entry is [string, string | boolean] => typeof entry[1] !== "object",
  );
  return { given: Object.fromEntries(values) };
}
