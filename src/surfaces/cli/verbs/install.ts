/**
 * Installing into clients. These change files of the machine's user, so they are command line verbs and not tools
 * for agents.
 */
import type { Refusal } from "../../../core/decide/answer.ts";
import { refusedAnswer } from "../../../operations/parts/answers.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { flag, inputOf, text } from "../../../operations/operation.ts";
import type { Operation } from "../../../operations/operation.ts";
import { FLAG, TEXT, TEXTS, answers, listOf, shape } from "../../../operations/parts/shapes.ts";
import type { DoctorInput, Examined } from "../../install/doctor/doctor.ts";
import type { InstallInput, Installed } from "../../install/install.ts";
import { safe, style } from "../terminal/style.ts";
import type { Call, Verb } from "../verb.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Answer } from "../../../operations/operation.ts";

const INSTALLED = answers(
  shape(
    {
      ok: FLAG,
      client: TEXT,
      scope: TEXT,
      why: TEXT,
      protocols: TEXTS,
      changes: listOf(shape({ path: TEXT, change: TEXT, diff: TEXT })),
      kept: listOf(shape({ path: TEXT, why: TEXT })),
      written: FLAG,
      todo: TEXTS,
    },
    { program: TEXT },
  ),
);

const CLIENT = text("which client: claude, codex, gemini, opencode or copilot");

function operation(
  name: "install" | "uninstall",
  purpose: string,
): Operation<InstallInput, Answered<Installed>> {
  return {
    name,
    purpose,
    input: inputOf<InstallInput>({
      required: { client: CLIENT },
      optional: {
        protocol: text(
          "whose agents and short commands, such as team-contract; several with commas",
        ),
        user: flag("hooks and server go into the user's configuration of the client"),
        repository: flag("hooks and server go into the repository"),
        server: flag("hooks ask a running server instead of starting a process (claude)"),
        dryRun: flag("show what would change and change nothing"),
        yes: flag("do not ask"),
      },
    }),
    result: INSTALLED,
    examples: [{ client: "claude" }, { client: "codex", dryRun: true }],
    // The store is not needed, and must not be created.
    readOnly: () => true,
    run: async (context, input) =>
      await (await import("../../install/install.ts"))[name](context, input),
  };
}

export const installVerb: Verb<InstallInput, Answered<Installed>> = {
  operation: operation(
    "install",
    "Let a client use Holdpoint: hooks, MCP server, agents, commands",
  ),
  args: ["client"],
  prepare: async (call, typed) => await confirmed(installVerb, call, typed),
  text: (told) => installedText(told, "install"),
};

export const uninstallVerb: Verb<InstallInput, Answered<Installed>> = {
  operation: operation("uninstall", "Take out of a client what install put in, and nothing else"),
  args: ["client"],
  prepare: async (call, typed) => await confirmed(uninstallVerb, call, typed),
  text: (told) => installedText(told, "uninstall"),
};

/** On a terminal, shows the changes and asks. */
async function confirmed(
  verb: Verb<InstallInput, Answered<Installed>>,
  { context, terminal }: Call,
  typed: JsonObject,
): Promise<JsonObject | Answer> {
  const { client, protocol } = typed;
  if (!terminal.interactive || typed["yes"] === true || typed["dryRun"] === true) return typed;
  if (typeof client !== "string") return typed;
  const looked = await verb.operation.run(context, {
    client,
    ...(typeof protocol === "string" ? { protocol } : {}),
    user: typed["user"] === true,
    repository: typed["repository"] === true,
    server: typed["server"] === true,
    dryRun: true,
  });
  if (!("changes" in looked) || looked.changes.length === 0) return typed;
  terminal.print(diffText(looked));
  const said = await terminal.ask("Write this? (y/N) ");
  return /^y(?:es)?$/i.test(said.trim()) ? { ...typed, yes: true } : refusedAnswer([SAID_NO]);
}

const SAID_NO: Refusal = {
  code: "not-confirmed",
  message: "Nothing was written",
  fix: "Say yes to what was shown to have it written.",
  rule: "core",
};

function diffText({ changes }: Installed): string {
  const { bold, good, bad, dim } = style();
  const paint = (line: string): string => {
    if (line.startsWith("+")) return good(safe(line));
    return line.startsWith("-") ? bad(safe(line)) : dim(safe(line));
  };
  return changes
    .map(({ path, change, diff }) =>
      [bold(`${change} ${safe(path)}`), ...diff.split("\n").map(paint)].join("\n"),
    )
    .join("\n\n");
}

function installedText(told: Installed, verb: "install" | "uninstall"): string {
  const { good, warn, dim, bold } = style();
  const { changes, written, kept, todo } = told;
  const shown = written ? changes.map(({ path, change }) => good(`✓ ${change} ${safe(path)}`)) : [];
  const scope = told.scope === "user" ? "for this user" : "in this repository";
  const head =
    changes.length === 0
      ? `Nothing to change: ${told.client} is ${verb}ed as it should be.`
      : written
        ? `${bold(told.client)} ${verb}ed ${scope}.`
        : `${diffText(told)}\n\nNothing was written.`;
  return [
    ...shown,
    ...kept.map(({ path, why }) => warn(`! ${safe(path)} is left as it is: ${safe(why)}`)),
    head,
    ...(told.program === undefined
      ? []
      : [dim(`Scope: ${told.scope}. ${told.why}.`), dim(`Program: ${safe(told.program)}.`)]),
    ...(told.protocols.length === 0 || verb === "uninstall"
      ? []
      : [dim(`Protocols: ${told.protocols.join(", ")}.`)]),
    ...(todo.length === 0 ? [] : ["", "Still to do, and to know:"]),
    ...todo.map((one) => `- ${safe(one)}`),
    ...(verb === "install" && written
      ? ["", `Then see that it works: holdpoint doctor ${told.client}`]
      : []),
  ].join("\n");
}

export const doctorVerb: Verb<DoctorInput, Answered<Examined>> = {
  operation: {
    name: "doctor",
    purpose: "Prove that what is installed works: hooks fire, the server answers",
    input: inputOf<DoctorInput>({
      required: {},
      optional: { client: text("which client; without it, every one that has Holdpoint here") },
    }),
    result: answers(
      shape({
        ok: FLAG,
        checks: listOf(
          shape({ check: TEXT, state: TEXT, said: TEXT }, { client: TEXT, fix: TEXT }),
        ),
      }),
    ),
    examples: [{}, { client: "claude" }],
    readOnly: () => true,
    run: async (context, input) =>
      await (await import("../../install/doctor/doctor.ts")).doctor(context, input),
  },
  args: ["client"],
  text: examinedText,
};

function examinedText({ ok, checks }: Examined): string {
  const { good, bad, warn, bold, dim } = style();
  const marks = { proven: good("✓"), failed: bad("✗"), unknown: warn("?") };
  const lines = checks.flatMap(({ client = "machine", check, state, said, fix }, index) => [
    ...(client === (checks[index - 1]?.client ?? "machine") && index > 0 ? [] : [bold(client)]),
    `${marks[state]} ${check}: ${safe(said)}`,
    ...(fix === undefined ? [] : [dim(`  ${safe(fix)}`)]),
  ]);
  return [
    ...lines,
    "",
    ok ? "What is installed works, as far as it can be told." : bad("Something does not work."),
  ].join("\n");
}
