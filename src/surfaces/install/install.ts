/** `install` and `uninstall`: makes a plan from the existing files and shows it before anything is written. */
import type { Refusal } from "../../core/decide/answer.ts";
import { nearest } from "../../core/values/nearest.ts";
import type { Failed } from "../../engine/outcome.ts";
import type { Parts } from "../../engine/parts.ts";
import { failedAnswer, refusedAnswer, usage } from "../../operations/parts/answers.ts";
import type { Answered, FailedAnswer } from "../../operations/parts/answers.ts";
import type { Answer, Context } from "../../operations/operation.ts";
import { shownHere, startable } from "../../operations/start.ts";
import type { Family } from "../../ports/family.ts";
import { CLIENTS } from "../../watch/call.ts";
import type { Client } from "../../watch/call.ts";
import { TOOLS } from "../mcp/tools.ts";
import { homesIn } from "./client.ts";
import type { ClientSetup, Place } from "./client.ts";
import { SETUPS } from "./clients/index.ts";
import { isInstalled } from "./installed.ts";
import type { Part } from "./parts.ts";
import { carryOut, planOf, toldChange } from "./plan.ts";
import type { Plan, ToldChange } from "./plan.ts";
import { programFor } from "./program.ts";
import { hereProgram } from "./here.ts";

export type InstallInput = {
  readonly client: string;
  readonly protocol?: string;
  readonly user?: boolean;
  readonly repository?: boolean;
  readonly server?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

export interface Installed extends Answer {
  readonly client: Client;
  readonly scope: "user" | "repository";
  readonly why: string;
  /** The program that the client's files call; undefined when uninstalling. */
  readonly program?: string;
  readonly protocols: readonly string[];
  readonly changes: readonly ToldChange[];
  readonly kept: readonly { readonly path: string; readonly why: string }[];
  readonly written: boolean;
  /** What a person must still do. */
  readonly todo: readonly string[];
}

export async function install(context: Context, input: InstallInput): Promise<Answered<Installed>> {
  return await arrange(context, input, "put");
}

export async function uninstall(
  context: Context,
  input: InstallInput,
): Promise<Answered<Installed>> {
  return await arrange(context, input, "take");
}

type How = "put" | "take";

async function arrange(
  { parts, caller }: Context,
  input: InstallInput,
  how: How,
): Promise<Answered<Installed>> {
  const setup = setupFor(input.client);
  if (setup === undefined) return unknownClient(input.client);
  // An agent must not decide which program the hooks that control it call.
  if (caller.actor.kind === "agent" && input.dryRun !== true)
    return refusedAnswer([forPeople(how, setup)]);
  const families = await familiesFor(parts, input, how);
  if ("ok" in families) return families;
  const { root } = parts.workspace;
  const scope = { root, user: isUser(setup, input), families };
  const wrong = serverProblem(setup, input);
  if (wrong !== undefined) return wrong;
  const found = how === "put" ? placeFor(setup, scope) : anywhere(scope);
  if ("code" in found) return refusedAnswer([found]);
  const placed = how === "put" && input.server === true ? await withServer(found, input) : found;
  if ("kind" in placed) return failedAnswer(placed);
  const wanted = how === "put" ? setup.parts(placed) : unneeded(setup, placed, input);
  const plan = planOf(wanted, root, how);
  if (plan.refusals.length > 0) return refusedAnswer(plan.refusals);
  const told = { ...tell(setup, placed, plan), ...(how === "put" ? toKnow(setup, placed) : {}) };
  if (plan.changes.length === 0 || input.dryRun === true) return told;
  if (input.yes !== true) return refusedAnswer([unconfirmed(how, setup.client)]);
  const failures = carryOut(plan, root);
  return failures.length > 0 ? refusedAnswer(failures) : { ...told, written: true };
}

function tell(setup: ClientSetup, place: Place, plan: Plan): Installed {
  return {
    ok: true,
    client: setup.client,
    scope: place.user ? "user" : "repository",
    why:
      place.user === setup.byDefault.user ? setup.byDefault.why : "That is where it was asked for",
    protocols: place.families.map(({ protocol }) => protocol.name),
    changes: plan.changes.map(toldChange),
    kept: plan.kept,
    written: false,
    todo: [],
  };
}

function toKnow(setup: ClientSetup, place: Place): Pick<Installed, "program" | "todo"> {
  const none =
    place.families.length > 0
      ? []
      : [
          "No protocol is in use here yet, so no agents and short commands were installed: do it again after the first workflow, or name one with --protocol.",
        ];
  return { program: place.program.told, todo: [...setup.traps(place), ...none] };
}

export function setupFor(name: string): ClientSetup | undefined {
  const client = CLIENTS.find((one) => one === name);
  return client === undefined ? undefined : SETUPS[client];
}

export function unknownClient(name: string): FailedAnswer {
  const like = nearest(name, CLIENTS);
  const meant = like === undefined ? `Clients: ${CLIENTS.join(", ")}.` : `Did you mean ${like}?`;
  return usage(`There is no client "${name}".`, meant);
}

/** Protocols in use here, or the named ones. When uninstalling, all of them. */
async function familiesFor(
  parts: Parts,
  { protocol }: InstallInput,
  how: How,
): Promise<readonly Family[] | FailedAnswer> {
  const all = await startable(parts);
  if (how === "take") return all;
  if (protocol === undefined) return all.length === 1 ? all : await shownHere(parts, all);
  const names = protocol.split(",").map((one) => one.trim());
  const wrong = names.find((name) => !all.some((one) => one.protocol.name === name));
  if (wrong !== undefined)
    return usage(
      `There is no protocol "${wrong}".`,
      `Protocols: ${all.map((one) => one.protocol.name).join(", ")}.`,
    );
  return all.filter((one) => names.includes(one.protocol.name));
}

type Scope = Pick<Place, "root" | "user" | "families">;

function isUser(setup: ClientSetup, { user, repository }: InstallInput): boolean {
  return user === true || (repository !== true && setup.byDefault.user);
}

function placeFor(setup: ClientSetup, scope: Scope): Place | Refusal {
  const place = anywhere(scope);
  if (isInstalled(setup, place, !scope.user)) return installedTwice(setup, scope.user);
  const program = programFor({ client: setup.client, ...scope, ...hereProgram() });
  return program === undefined ? programMissing() : { ...place, program };
}

function serverProblem(
  { client, title }: ClientSetup,
  input: InstallInput,
): FailedAnswer | undefined {
  if (input.server !== true) return undefined;
  if (client !== "claude")
    return usage(`${title} has no hooks that ask a server.`, "Leave --server out.");
  return input.user === true
    ? usage("A server is one repository's, so its hooks are too.", "Leave --user out.")
    : undefined;
}

/**
 * The server's port and token are written into the client's file, so it must be running. For a dry run none is
 * started.
 */
async function withServer(place: Place, { dryRun }: InstallInput): Promise<Place | Failed> {
  const { ensureServer, runningServer } = await import("../mcp/background.ts");
  const running = await (dryRun === true ? runningServer : ensureServer)(place.root);
  if (running?.kind === "failed") return running;
  const { port = 0, token = "..." } = running ?? {};
  return { ...place, server: { port, token } };
}

/** When uninstalling, it does not matter which program was called. */
function anywhere(scope: Scope): Place {
  const program = { words: "holdpoint", command: "holdpoint", args: [], told: "" };
  return { ...scope, home: homesIn(process.env), program, tools: TOOL_NAMES };
}

/** What to remove, wherever it is, except what another installed client still needs. */
function unneeded(setup: ClientSetup, place: Place, input: InstallInput): readonly Part[] {
  const asked = [true, false].filter((user) =>
    user ? input.repository !== true : input.user !== true,
  );
  const idOf = ({ path, name }: Part): string => `${path}\0${name}`;
  const needed = new Set(
    CLIENTS.filter((one) => one !== setup.client).flatMap((one) =>
      [true, false]
        .filter((user) => isInstalled(SETUPS[one], place, user))
        .flatMap((user) => SETUPS[one].parts({ ...place, user }).map(idOf)),
    ),
  );
  const mine = asked.flatMap((user) => setup.parts({ ...place, user }));
  const once = new Map(mine.map((part) => [idOf(part), part]));
  return [...once.values()].filter((part) => !needed.has(idOf(part)));
}

const TOOL_NAMES: readonly string[] = TOOLS.map(({ name }) => name);

function forPeople(how: How, { title }: ClientSetup): Refusal {
  const verb = how === "put" ? "install Holdpoint at" : "take Holdpoint out of";
  return {
    code: "person-needed",
    message: `An agent does not ${verb} ${title}`,
    fix: "A person does it in a terminal of their own; an agent may look with --dry-run.",
    rule: "core",
  };
}

function unconfirmed(how: How, client: Client): Refusal {
  const verb = how === "put" ? "install" : "uninstall";
  return {
    code: "not-confirmed",
    message: "Nobody has said yes to these changes",
    fix: `See them with holdpoint ${verb} ${client} --dry-run, and say yes with --yes.`,
    rule: "core",
  };
}

function installedTwice({ client, title }: ClientSetup, user: boolean): Refusal {
  const [there, option] = user ? ["in this repository", "repository"] : ["for this user", "user"];
  return {
    code: "installed-twice",
    message: `${title} has Holdpoint ${there} already: every hook would be asked twice`,
    fix: `Take it out there first: holdpoint uninstall ${client} --${option}.`,
    rule: "core",
  };
}

function programMissing(): Refusal {
  return {
    code: "program-missing",
    message:
      "No clone of this repository could call Holdpoint: it is neither on PATH nor a dependency",
    fix: "npm install --save-dev holdpoint, or npm install --global holdpoint, or use --user.",
    rule: "core",
  };
}
