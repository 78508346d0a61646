/** Does a command cost the same beside a thousand plugins, and does verifying them all grow with their number only? */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "../src/compose/compose.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { check, holdpoint, median, timed } from "./figures.ts";
import type { Print } from "./figures.ts";

const FEW = 100;
const MANY = 1_000;
const ROUNDS = 5;
const CALLER: Caller = { actor: { kind: "person", name: "bench" }, session: "bench" };

export async function benchScale(print: Print): Promise<void> {
  const top = mkdtempSync(join(process.env["HOLDPOINT_BENCH_DIR"] ?? tmpdir(), "holdpoint-bench-"));
  try {
    const [few, many] = [join(top, "few"), join(top, "many")];
    await makePlugins(few, FEW);
    await makePlugins(many, MANY);
    const all = await both({ few, many }, (cwd, plugins) => () => verify(cwd, plugins));
    print(
      `verify --all of ${FEW} plugins ${all.few.toFixed(0)} ms, of ${MANY} ${all.many.toFixed(0)} ms`,
    );
    check(print, `verify --all, ${MANY} against ${FEW}`, { value: all.many / all.few, max: 12 });
    check(print, `verify --all of ${MANY}, seconds`, { value: all.many / 1000, max: 2 });
    let next = 0;
    const begun = await both({ few, many }, (cwd) => () => {
      next += 1;
      holdpoint(["start", `New${next}`, "--protocol", "plugin-workflow", "--json", "--cwd", cwd]);
    });
    check(print, `start beside ${MANY} against ${FEW}`, {
      value: begun.many / begun.few,
      max: 1.5,
    });
    const told = await both({ few, many }, (cwd) => () => {
      holdpoint(["status", "P7", "--json", "--cwd", cwd]);
    });
    check(print, `status beside ${MANY} against ${FEW}`, { value: told.many / told.few, max: 2 });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Alternating, so that a busy moment of the machine falls on both. */
async function both(
  { few, many }: { readonly few: string; readonly many: string },
  call: (cwd: string, plugins: number) => () => void,
): Promise<{ readonly few: number; readonly many: number }> {
  const times: { readonly few: number[]; readonly many: number[] } = { few: [], many: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.few.push(timed(call(few, FEW)));
    times.many.push(timed(call(many, MANY)));
  }
  return { few: median(times.few), many: median(times.many) };
}

function verify(cwd: string, plugins: number): void {
  const said = holdpoint(["verify", "--all", "--json", "--cwd", cwd]);
  const answer: { workflows?: { exit: number }[] } = JSON.parse(said);
  const sound = answer.workflows?.filter((one) => one.exit === 0).length;
  if (sound !== plugins) throw new Error(`verify found ${sound} of ${plugins} sound`);
}

/** Each with a journal, a handoff, a row and an entry. */
async function makePlugins(cwd: string, count: number): Promise<void> {
  mkdirSync(cwd);
  writeFileSync(join(cwd, "PLUGINS.md"), "# Plugins\n");
  const composed = await compose({ cwd });
  if (composed.kind === "failed") throw new Error(composed.message);
  for (let n = 0; n < count; n += 1) await makePlugin(composed.parts, cwd, `P${n}`);
  await composed.parts.journal.close();
}

async function makePlugin(parts: Parts, cwd: string, id: string): Promise<void> {
  const family = await parts.families.get("plugin-workflow");
  if (family === undefined) throw new Error("There is no family to measure");
  const ideas = join(cwd, "plugins", id, ".ideas");
  mkdirSync(ideas, { recursive: true });
  for (const name of ["creative-brief.md", "parameter-spec.md", "architecture.md"])
    writeFileSync(join(ideas, name), `text of ${id}\n`);
  writeFileSync(join(ideas, "plan.md"), `# ${id}\n\n**Complexity Score:** 1.5\n`);
  accepted(await start(parts, family, { id, options: {}, caller: CALLER }));
  const claim = {
    agent: "research-planning-agent",
    outcome: "success",
    stage: 0,
    phase: null,
    files: [],
    stateUpdated: false,
  };
  for (const command of [
    { type: "dispatch.send", spec: "research", unit: "." },
    { type: "dispatch.report", dispatch: "W-1", claim },
  ] as const) {
    const found = await find(parts, id);
    if (found.kind !== "found") throw new Error(`${id} is gone`);
    accepted(await act(parts, found, command, CALLER));
  }
}

function accepted(outcome: Outcome): void {
  if (outcome.kind !== "done" && outcome.kind !== "held") throw new Error(JSON.stringify(outcome));
}
