/** A hook that is broken while the client runs lets nothing pass. */
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ideas } from "../e2e/plugin.ts";
import { askedPlugin } from "./fixtures.ts";
import { heldIf } from "./lab.ts";
import type { Group, Lab, Outcome } from "./lab.ts";

/** What the program does in place of judging. */
const WAYS: Readonly<Record<string, string>> = {
  killed: 'process.kill(process.pid, "SIGKILL")',
  hung: "setInterval(() => undefined, 1000)",
  nonsense: 'process.stdout.write("all is well, says somebody\\n")',
  cut: 'process.stdout.write(\'{"hookSpecificOutput":{"permiss\')',
  silent: "process.exitCode = 0",
  crashed: 'throw new Error("gone")',
};

export const broken: Group = {
  name: "The hook is broken, and what is held still does not happen",
  cases: {
    "hook-killed": "it is killed",
    "hook-hung": "it hangs",
    "hook-nonsense": "it answers nonsense",
    "hook-cut": "it answers half an answer",
    "hook-silent": "it answers nothing",
    "hook-crashed": "it crashes",
    "hook-missing": "its program is gone",
  },
  run: async (lab) => {
    const outcomes: Record<string, Outcome> = {};
    for (const id of Object.keys(broken.cases))
      outcomes[id] = await tryBroken(lab, id.replace("hook-", ""));
    return outcomes;
  },
};

async function tryBroken(lab: Lab, way: string): Promise<Outcome> {
  const { scratch, room: home } = askedPlugin(lab);
  const room = { ...home, program: lab.copyProgram() };
  const sealed = ideas("architecture.md");
  const before = scratch.read(sealed);
  const mend = breaker(room.program, way);
  const ended = await lab.play(room, {
    main: [
      {
        calls: [{ shell: `echo TRIED >> '${join(room.top, sealed)}'` }],
        before: async () => mend.broken(),
      },
      { say: "That is all.", before: async () => mend.mended() },
    ],
  });
  mend.mended();
  const tried = lab.model.lastWords("main") !== undefined;
  return heldIf(
    tried && scratch.read(sealed) === before,
    tried ? "it happened" : `it was not tried: exit ${ended.exit} ${ended.stderr.slice(-300)}`,
  );
}

/** The server goes on: it is the hook that is broken. */
function breaker(program: string, way: string): { broken: () => void; mended: () => void } {
  const bin = join(program, "bin/holdpoint.js");
  const real = join(program, "bin/real.js");
  return {
    broken: () => {
      renameSync(bin, real);
      const code = WAYS[way];
      if (code === undefined) return;
      writeFileSync(
        bin,
        `#!/usr/bin/env node\nif (process.argv[2] === "hook") { ${code} } else require("./real.js");\n`,
      );
      chmodSync(bin, 0o755);
    },
    mended: () => {
      rmSync(bin, { force: true });
      try {
        renameSync(real, bin);
      } catch {
        // It is mended.
      }
    },
  };
}
