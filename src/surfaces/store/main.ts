/** `holdpoint store`: what people do to the store itself. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { locateStore } from "../../compose/compose.ts";
import type { Finding, StoreCall } from "../../compose/move.ts";
import { failedAnswer, usage } from "../../operations/parts/answers.ts";
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import { toJson } from "../../core/values/json.ts";
import { callerOf } from "../cli/caller.ts";
import { safe, style } from "../cli/terminal/style.ts";
import type { Reply } from "../cli/verb.ts";
import { failureOf } from "../failure.ts";

const FORMS =
  "holdpoint store setup, holdpoint store move --to postgres|embedded, holdpoint store check";

interface Words {
  readonly deed: "setup" | "move" | "check";
  readonly to?: string;
  readonly role?: string;
  readonly url?: string;
  readonly cwd: string;
}

export async function runStore(args: readonly string[]): Promise<Reply | FailedAnswer> {
  const words = readWords(args);
  if ("ok" in words) return words;
  const caller = callerOf(process.env, {});
  if (words.deed !== "check" && (typeof caller === "string" || caller.actor.kind !== "person"))
    return failedAnswer({
      code: "people-only",
      message: "Where the truth is kept is for people to say",
      fix: "Ask a person to run it.",
    });
  try {
    const at = await locateStore(words.cwd);
    if (at.kind === "failed") return failedAnswer(at);
    const { url } = words;
    return await DEEDS[words.deed](
      { at, env: process.env, ...(url === undefined ? {} : { url }) },
      words,
    );
  } catch (error) {
    return failureOf(error);
  }
}

function readWords(args: readonly string[]): Words | FailedAnswer {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: "string" },
        role: { type: "string" },
        url: { type: "string" },
        cwd: { type: "string" },
        json: { type: "boolean" },
      },
    });
    const [deed = "check", ...more] = positionals;
    if (!isDeed(deed) || more.length > 0)
      return usage(`store cannot do "${positionals.join(" ")}".`, `Write ${FORMS}.`);
    const { to, role, url } = values;
    if (deed === "move" && to !== "postgres" && to !== "embedded")
      return usage("It is not said where to move.", "Write --to postgres or --to embedded.");
    return {
      deed,
      cwd: resolve(values.cwd ?? "."),
      ...(to === undefined ? {} : { to }),
      ...(role === undefined ? {} : { role }),
      ...(url === undefined ? {} : { url }),
    };
  } catch (error) {
    const said = error instanceof Error ? error.message.split(". ")[0] : undefined;
    return usage(said ?? "The command line cannot be read.", `Write ${FORMS}.`);
  }
}

function isDeed(text: string): text is Words["deed"] {
  return text in DEEDS;
}

type Deed = (call: StoreCall, words: Words) => Promise<Reply>;

const DEEDS: Readonly<Record<Words["deed"], Deed>> = {
  setup: async (call, { role }) => {
    const { setUpStore } = await import("../../compose/move.ts");
    const { applied, version } = await setUpStore(call, role === undefined ? {} : { role });
    const done =
      applied.length === 0 ? "They were up to date." : `Made now: ${applied.join(", ")}.`;
    const given =
      role === undefined
        ? ""
        : ` ${role} has what is needed to work with them; whether it could do more says holdpoint doctor store, asked as ${role}.`;
    return {
      exit: 0,
      json: { ok: true, version, applied: [...applied] },
      text: `${style().good("✓")} The tables have version ${version}. ${done}${safe(given)}`,
    };
  },
  move: async (call, { to }) => {
    const { moveStore } = await import("../../compose/move.ts");
    const moved = await moveStore(call, to === "embedded" ? "embedded" : "postgres");
    const { streams, records, copied, blobs } = moved;
    return {
      exit: 0,
      json: { ok: true, ...moved },
      text: [
        `${style().good("✓")} Everything is in ${safe(moved.to)}: journals: ${streams}, records: ${records}; copied now: records: ${copied}, blobs: ${blobs}. Every chain was read again there.`,
        `Nothing is recorded in ${safe(moved.from)} any more.`,
        to === "embedded"
          ? "Take `store` out of holdpoint.config.json and commit that; other clones have no store until they name one."
          : 'Commit the address for everybody: "store": {"postgres": "postgresql://USER@HOST/DATABASE"} in holdpoint.config.json, without a password.',
        ...(moved.fenced
          ? ["Put the fence up again, so that its hook asks the new store: holdpoint fence install"]
          : []),
      ].join("\n"),
    };
  },
  check: async (call) => {
    const { examineStore } = await import("../../compose/move.ts");
    const checks = await examineStore(call);
    const ok = checks.every((one) => one.state !== "failed");
    return {
      exit: ok ? 0 : 1,
      json: { ok, checks: toJson(checks) },
      text: checks.flatMap(lines).join("\n"),
    };
  },
};

function lines({ check, state, said, fix }: Finding): readonly string[] {
  const { good, bad, warn, dim } = style();
  const mark = { proven: good("✓"), failed: bad("✗"), unknown: warn("!") }[state];
  return [`${mark} ${check}: ${safe(said)}`, ...(fix === undefined ? [] : [dim(`  ${safe(fix)}`)])];
}
