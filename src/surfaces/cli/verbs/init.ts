import { existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { init } from "../../../operations/init.ts";
import type { InitInput, SetUp } from "../../../operations/init.ts";
import { flag } from "../../../operations/operation.ts";
import type { Context } from "../../../operations/operation.ts";
import { said } from "../text/said.ts";
import { safe, style } from "../terminal/style.ts";
import type { Call, Verb } from "../verb.ts";

export const initVerb: Verb<InitInput, Answered<SetUp>> = {
  operation: { ...init, run: withClients },
  args: [],
  options: { "dry-run": flag("only show what would be written") },
  prepare: confirmed,
  text: setUpText,
};

/** Adds the clients found here, which only the surface that installs them knows. */
async function withClients(context: Context, input: InitInput): Promise<Answered<SetUp>> {
  const told = await init.run(context, input);
  if (!("protocols" in told)) return told;
  const { SETUPS } = await import("../../install/clients/index.ts");
  const { homesIn } = await import("../../install/client.ts");
  const { isInstalled } = await import("../../install/installed.ts");
  const place = { root: context.parts.workspace.root, home: homesIn(process.env) };
  const clients = Object.values(SETUPS)
    .filter(({ client }) => existsSync(place.home[client]) || isOnPath(client))
    .map((setup) => ({
      name: setup.client,
      installed: isInstalled(setup, place, true) || isInstalled(setup, place, false),
    }));
  return { ...told, clients, undo: fromHere(context.parts.workspace.root, told.file) };
}

/** The path as typed from the current directory, which may be inside the repository. */
function fromHere(root: string, file: string): string {
  return relative(process.cwd(), join(root, file));
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function isOnPath(program: string): boolean {
  const places = (process.env["PATH"] ?? "").split(delimiter).filter((one) => one !== "");
  return places.some((place) => existsSync(join(place, program)));
}

/** True if a person saw the lines before they were written. */
let isShown = false;

/** Shows what would be written and asks. Without a terminal it is written only with --yes. */
async function confirmed(
  { context, flags, terminal }: Call,
  typed: JsonObject,
): Promise<JsonObject> {
  if (flags["dry-run"] === true) {
    const { yes: _, ...rest } = typed;
    return rest;
  }
  if (typed["yes"] === true || !terminal.interactive) return typed;
  const asked = { ...typed };
  const seen = await withClients(context, typed);
  if (!("after" in seen) || seen.before !== null) return typed;
  if (seen.unknown.length > 0) {
    terminal.note(foundLines(seen).join("\n"));
    const checks: Record<string, string> = {};
    for (const name of seen.unknown)
      checks[name] = await terminal.ask(`Which command is the check "${name}"? [none yet] `);
    asked["checks"] = checks;
  }
  const told = await withClients(context, asked);
  if (!("after" in told)) return asked;
  const lines = seen.unknown.length > 0 ? fileLines(told) : hereLines(told);
  const answer = await terminal.ask(`${lines.join("\n")}\n\nWrite it? [Y/n] `);
  if (!["", "y", "yes"].includes(answer.trim().toLowerCase())) return asked;
  isShown = true;
  return { ...asked, yes: true };
}

function setUpText(answer: SetUp): string {
  const { file, before, written, protocols, clients = [], undo = file } = answer;
  const missing = clients.filter(({ installed }) => !installed);
  return [
    ...(isShown && written ? [] : [...hereLines(answer), ""]),
    ...(written
      ? [`${style().good("✓")} Wrote ${file}`, `To undo it: rm ${quoted(undo)}`, ""]
      : []),
    ...(before === null && !written ? ["To write it: holdpoint init --yes"] : []),
    style().bold("Then:"),
    ...answer.next.map((one) => `    ${safe(said(one))}`),
    ...(protocols.length === 0 ? ["    holdpoint start --help"] : []),
    ...missing.map(({ name }) => `    holdpoint install ${name}`),
  ].join("\n");
}

function hereLines(answer: SetUp): readonly string[] {
  return [...foundLines(answer), ...warnings(answer), ...fileLines(answer)];
}

function foundLines(answer: SetUp): readonly string[] {
  const { bold, dim } = style();
  const { adoptable, checks } = answer;
  const names = answer.protocols.map(({ name, title }) => `${title} (${name})`).join(", ");
  const rows = [
    ["protocols", safe(names === "" ? "none yet" : names)],
    ["to adopt", safe(adoptable.join(", "))],
    ...checks.map(({ name, run, why }) => [safe(name), `${safe(run)} ${dim(`(${why})`)}`]),
    ["agents", clientsText(answer)],
  ].filter(([, text]) => text !== "");
  return [
    bold("Here:"),
    ...rows.map(([name = "", text = ""]) => `  ${name.padEnd(WIDTH)} ${text}`),
  ];
}

function fileLines({ file, before, diff, written }: SetUp): readonly string[] {
  const { bold, good } = style();
  return [
    "",
    ...(before === null
      ? [bold(`${file} ${written ? "is" : "would be"} new:`)]
      : [`${file} is there and stays as it is.`]),
    ...(before === null ? diff.split("\n").map((line) => good(`+ ${safe(line.slice(1))}`)) : []),
  ];
}

const WIDTH = 14;

function clientsText({ clients = [] }: SetUp): string {
  return clients
    .map(({ name, installed }) => (installed ? `${name} (Holdpoint is installed)` : name))
    .join(", ");
}

function warnings({ unknown, git }: SetUp): readonly string[] {
  const { warn } = style();
  const names = safe(unknown.join(", "));
  return [
    ...(unknown.length === 0
      ? []
      : [warn(`! Of these checks nothing was seen: ${names}. Their gates will be held.`)]),
    ...(git
      ? []
      : [warn("! This is no git repository: there are no commits, branches or worktrees.")]),
  ];
}
