/** The whole engine on real files and real git: only a tree that every gate was bound to gets to the end. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { defineProtocol } from "../src/core/table/define.ts";
import { passed } from "../src/core/guards/guards.ts";
import { openEngine } from "../src/door/engine.ts";
import type { Engine } from "../src/door/engine.ts";

const STRAY = {
  guard: "ordered",
  args: { paths: ["**"], kept: "kept" },
  code: "nobody-at-work",
  fix: "Let a person look.",
  ask: "stray",
} as const;

const protocol = defineProtocol({
  name: "bound",
  version: 1,
  title: "Bound",
  states: ["todo", "built", "done"],
  start: "todo",
  ends: ["done"],
  work: {
    code: { role: "coder", makes: ["src/**"], done: "build", in: ["todo", "built"] },
    review: {
      role: "reviewer",
      in: "built",
      outcomes: {
        success: [{ finding: "review", value: { value: "OK" }, on: "root", binds: ["tree:src"] }],
      },
    },
  },
  questions: {
    stray: {
      prompt: "Is it meant? {about.message}",
      binds: ["unordered:."],
      options: {
        keep: {
          label: "Keep",
          does: [{ finding: "kept", value: { value: "yes" }, on: "root", binds: ["unordered:."] }],
        },
        restore: { label: "Restore" },
      },
    },
  },
  moves: {
    build: { from: ["todo", "built"], to: "built", by: [] },
    finish: {
      from: "built",
      to: "done",
      needs: [
        STRAY,
        {
          guard: "finding",
          args: { kind: "review", in: ["OK"], on: "root" },
          code: "unreviewed",
          fix: "Review it.",
        },
        passed("tests", ["tree:src"], { code: "red", fix: "Repair it." }),
      ],
    },
  },
});

const rooms: string[] = [];
afterAll(() => rooms.forEach((room) => rmSync(room, { recursive: true, force: true })));

const ADA = { actor: { kind: "person", name: "ada" }, session: "desk" } as const;

class World {
  readonly top: string;
  readonly reviewed = new Set<string>();
  readonly kept = new Set<string>();
  /** The file as it was when the last step was done. */
  left = "";

  constructor() {
    this.top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bound-")));
    rooms.push(this.top);
    mkdirSync(join(this.top, "src"));
    this.write("begin");
    writeFileSync(
      join(this.top, "check.mjs"),
      'import { readFileSync } from "node:fs"; process.exit(readFileSync("src/a", "utf8").includes("bad") ? 1 : 0);',
    );
    const checks = { tests: { run: ["node", "check.mjs"] } };
    writeFileSync(join(this.top, "holdpoint.config.json"), JSON.stringify({ checks }));
    this.git("init", "-q", "--template=", "--initial-branch=main");
    this.git("add", ".");
    this.git("commit", "-qm", "Begin");
  }

  git(...args: readonly string[]): void {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    try {
      execFileSync("git", [...who, ...args], { cwd: this.top, stdio: "pipe" });
    } catch {
      // Nothing to stash, nothing to amend: the walk goes on.
    }
  }

  write(text: string): void {
    writeFileSync(join(this.top, "src/a"), text);
  }

  get text(): string {
    return readFileSync(join(this.top, "src/a"), "utf8");
  }
}

const TEXTS = ["one", "two", "bad", "three"];

type Act = (world: World, engine: Engine, choice: number) => Promise<unknown> | void;

async function order(world: World, engine: Engine, step: string, meanwhile: () => void) {
  const flow = engine.workflow("w");
  const sent = await flow.move(step, {}, { as: ADA });
  if (sent.ok) world.left = world.text;
  meanwhile();
  const taken = await flow.report({ outcome: "success", summary: "done" }, { as: ADA });
  if (!taken.ok) await flow.move("cancel", { reason: "walk" }, { as: ADA });
  else world.left = world.text;
  if (!taken.ok || step !== "review") return;
  world.reviewed.delete(world.text);
  world.reviewed.add(world.text);
}

const review: Act = (world, engine) => order(world, engine, "review", () => undefined);

const finish: Act = async (world, engine) => {
  const { left, text } = world;
  const moved = await engine.workflow("w").move("finish", {}, { as: ADA });
  if (!moved.ok || !("state" in moved) || moved.state !== "done") return;
  expect({ text, reviewed: world.reviewed.has(text) }).toEqual({ text, reviewed: true });
  expect(text).not.toContain("bad");
  if (left !== text) expect([...world.kept]).toContain(text);
};

/** By hand back to what was reviewed last. */
const backByHand: Act = async (world, engine, choice) => {
  world.write([...world.reviewed].at(-1) ?? world.text);
  await finish(world, engine, choice);
};

const ACTS: readonly Act[] = [
  (world, _, choice) => world.write(TEXTS[choice % TEXTS.length] ?? ""),
  (world) => world.git("commit", "-qam", "By hand"),
  (world, _, choice) => {
    world.write(TEXTS[choice % TEXTS.length] ?? "");
    world.git("commit", "-qa", "--amend", "-m", "Amended");
  },
  (world) => world.git("stash", "-q"),
  (world) => world.git("stash", "pop", "-q"),
  (world) => world.git("checkout", "-q", "HEAD~1", "--", "src"),
  (world) => world.git("reset", "-q", "--soft", "HEAD~1"),
  (world) => world.git("rebase", "-q", "--autostash", "--root"),
  (world, engine, choice) =>
    order(world, engine, "code", () => world.write(`work ${choice} ${TEXTS[choice % 4] ?? ""}`)),
  review,
  review,
  async (world, engine, choice) => {
    const { text } = world;
    const said = await engine
      .workflow("w")
      .answer(choice % 3 === 0 ? "restore" : "keep", {}, { as: ADA });
    if (said.ok && choice % 3 !== 0) world.kept.add(text);
  },
  backByHand,
  // What a diligent person does.
  async (world, engine, choice) => {
    await review(world, engine, choice);
    if (choice % 2 === 0) world.write(`after ${choice}`);
    await finish(world, engine, choice);
  },
  finish,
];

test("whatever the order of edits, commits, amends, stashes, checkouts and reports, nothing else is done than what was checked", async () => {
  const acts = fc.array(fc.tuple(fc.nat(ACTS.length - 1), fc.nat(11)), {
    minLength: 12,
    maxLength: 22,
  });
  let ended = 0;
  await fc.assert(
    fc.asyncProperty(acts, async (walked) => {
      const world = new World();
      const engine = await openEngine({ cwd: world.top, families: [protocol] });
      if (engine.kind === "failed") throw new Error(engine.message);
      await engine.workflow("w").start({ protocol: "bound" }, { as: ADA });
      await order(world, engine, "code", () => world.write("first"));
      for (const [act, choice] of walked) await ACTS[act]?.(world, engine, choice);
      // The last temptation: other work, and then the reviewed text put back by hand.
      await order(world, engine, "code", () => world.write("last"));
      await backByHand(world, engine, 0);
      const status = await engine.workflow("w").status();
      ended += "state" in status && status.state === "done" ? 1 : 0;
      await engine.close();
    }),
    { numRuns: 8, seed: 7, endOnFailure: true },
  );
  expect(ended).toBeGreaterThan(1);
}, 120_000);
