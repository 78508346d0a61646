/** What is held stays as it is, whichever tool is used, and whoever uses it. */
import { join } from "node:path";
import { NAME, handoffOf, ideas } from "../e2e/plugin.ts";
import { ADAPTERS } from "./adapters.ts";
import { askedPlugin } from "./fixtures.ts";
import { HELD, heldIf, red } from "./lab.ts";
import type { Group, Outcome } from "./lab.ts";
import { mark } from "./model/script.ts";
import type { Step } from "./model/script.ts";
import type { Scratch } from "../e2e/cli.ts";

const SEALED = ideas("architecture.md");
const STATE = handoffOf();

export const held: Group = {
  name: "Stopped before it happens",
  cases: {
    "sealed-edit": "a sealed file, by the edit tool",
    "sealed-shell": "a sealed file, by the shell",
    "sealed-agent-edit": "a sealed file, by the edit tool of a subagent",
    "sealed-agent-shell": "a sealed file, by the shell of a subagent",
    "state-edit": "a state file, by the edit tool",
    "state-shell": "a state file, by the shell",
    "state-agent-edit": "a state file, by the edit tool of a subagent",
    "state-agent-shell": "a state file, by the shell of a subagent",
    "git-shell": "a git command that rewrites history",
    "git-agent-shell": "a git command that rewrites history, in a subagent",
    "allowed-edit": "and what is not held is done, by the edit tool and in a subagent",
  },
  run: async (lab) => {
    const { scratch, room } = askedPlugin(lab);
    const head = scratch.git("rev-parse", "HEAD");
    const path = (file: string): string => join(room.top, file);
    const steps = (who: string): readonly Step[] => [
      { calls: [{ read: path(SEALED) }] },
      { calls: [{ edit: [path(SEALED), "work of 0", `TRIED sealed${who}-edit`] }] },
      { calls: [{ shell: `echo 'TRIED sealed${who}-shell' >> '${path(SEALED)}'` }] },
      { calls: [{ read: path(STATE) }] },
      { calls: [{ edit: [path(STATE), "stage: 2", `stage: 5 # TRIED state${who}-edit`] }] },
      { calls: [{ shell: `echo 'TRIED state${who}-shell' >> '${path(STATE)}'` }] },
      { calls: [{ shell: `git commit --amend --allow-empty -m 'TRIED git${who}-shell'` }] },
      { calls: [{ write: [path(`free${who}.txt`), "free\n"] }] },
    ];
    const agent = ADAPTERS[lab.client].anyAgent;
    const ended = await lab.play(room, {
      main: [
        ...steps(""),
        { calls: [{ agent, prompt: `Help. ${mark("helper")}` }] },
        { calls: [{ wait: 12 }] },
        { say: "That is all." },
      ],
      helper: [...steps("-agent"), { say: "That is all." }],
    });
    const tried = (script: string): boolean => lab.model.lastWords(script) !== undefined;
    const both = tried("main") && tried("helper") && lab.model.missing().length === 0;
    const why = `exit ${ended.exit}; ${lab.model.missing().join("; ")} ${ended.stderr.slice(-500)}`;
    const outcome = (id: string): Outcome => {
      if (!both) return red(`it was not tried: ${why}`);
      return happened(scratch, id, head) ? caught(scratch, id) : HELD;
    };
    const free = scratch.has("free.txt") && scratch.has("free-agent.txt");
    const ids = Object.keys(held.cases).filter((id) => id !== "allowed-edit");
    return {
      ...Object.fromEntries(ids.map((id) => [id, outcome(id)])),
      "allowed-edit": heldIf(both && free, `it was stopped: ${why}`),
    };
  },
};

function happened(scratch: Scratch, id: string, head: string): boolean {
  if (id.startsWith("git")) return !scratch.git("log", "-1", "--format=%H").startsWith(head);
  return scratch.read(id.startsWith("sealed") ? SEALED : STATE).includes(`TRIED ${id}`);
}

/** Whatever slipped by is found by what is measured, before anything is built on it. */
function caught(scratch: Scratch, id: string): Outcome {
  const reply = scratch.hold(["answer", NAME, "1"]);
  const codes = (reply.json.refusals ?? []).map((one) => one.code).join(", ");
  const sound = scratch.hold(["verify", "--all"]);
  if (codes !== "") return { kind: "engine", why: `refused: ${codes}` };
  if (sound.exit !== 0) return { kind: "engine", why: `verify ends with ${sound.exit}` };
  return red(`${id} happened, and nobody noticed`);
}
