/** Every way in which an agent could release a hold by itself, by the name it has in the threat model, to be tried under each policy. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import type { Confirm } from "../../src/engine/release/confirm.ts";
import { answer as answering } from "../../src/operations/answer.ts";
import { commitFile, copyOf, NO_CHECKS } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { forgedSavepoint, forgerOf } from "./forged.ts";
import { expectStopped, tryGit } from "./fence.ts";
import { codesOf, finish, handoffOf, NAME, pluginAt } from "./plugin.ts";
import {
  ADA,
  atExpect,
  atFakeTerminal,
  commitPolicy,
  homeOf,
  lineOf,
  makeKey,
  releasesIn,
  withoutTerminal,
  wordsIn,
} from "./release.ts";

export type Policy = "word" | "presence" | "signed";
export const POLICIES: readonly Policy[] = ["word", "presence", "signed"];

/** A plugin that waits at a question, under a policy; Ada is the person. */
export interface Stage {
  readonly scratch: Scratch;
  readonly policy: Policy;
  readonly ada: string;
}

export interface Way {
  /** What people do before: the question that the agent is after is the one that then is open. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** Gives the codes it was refused with. */
  readonly attack: (stage: Stage) => Promise<readonly string[]>;
  /** By which it is stopped. */
  readonly refused?: Partial<Readonly<Record<Policy, string>>>;
  /** Of Ada's key; without it her key is a file that any program can use. */
  readonly phrase?: string;
}

export function stageAt(policy: Policy, phrase = ""): Stage {
  const scratch = pluginAt("s0");
  const ada = makeKey(scratch, "ada", { phrase });
  if (policy !== "word") commitPolicy(scratch, { strength: policy }, lineOf(ada, ADA));
  return { scratch, policy, ada };
}

export function heldIn({ scratch }: Stage): string | undefined {
  return scratch.hold(["status", NAME]).json.held?.[0]?.id;
}

const AGENT = { CLAUDECODE: "1" };
const ANSWER = ["answer", NAME, "1"];
const HIDDEN = { presence: "presence-missing", signed: "signature-missing" };
const NOBODY = "person-required";
const NAMED = { word: NOBODY, presence: NOBODY, signed: NOBODY };

/** As Ada does it, as strongly as the policy asks. */
async function asAda(stage: Stage, args: readonly string[]): Promise<void> {
  const { scratch, policy, ada } = stage;
  if (policy === "presence") {
    const { printed, exit } = await atFakeTerminal(scratch, args, wordsIn);
    expect([0, 11], printed).toContain(exit);
    return;
  }
  const key = policy === "signed" ? ["--sign", "--key", ada] : [];
  const { json, stdout } = scratch.hold([...args, ...key]);
  expect(json.refusals, stdout).toBeUndefined();
}

/** Ada has released the first question, and the next one waits. */
async function releasedOnce(stage: Stage): Promise<void> {
  await asAda(stage, ANSWER);
  finish(stage.scratch, "2", { outputs: { parameter_count: 3 } });
  expect(heldIn(stage)).toBe("D-2");
}

async function fencedIn(stage: Stage): Promise<void> {
  await asAda(stage, ["fence", "install"]);
}

/** A program that uses ours as a library, and says of itself and of the person whatever it likes. */
async function byLibrary(
  { scratch, policy }: Stage,
  ask: Confirm["ask"],
): Promise<readonly string[]> {
  const composed = await compose({ cwd: scratch.top, env: {} });
  if (composed.kind !== "open") throw new Error(composed.message);
  const actor = { kind: "person", name: ADA } as const;
  const confirm = { signs: policy === "signed", ask };
  const caller = { actor, session: "human:ada", confirm };
  const context = { parts: composed.parts, caller };
  const told = await answering.run(context, { workflow: NAME, choice: "1" });
  await composed.parts.journal.close();
  return "refusals" in told ? (told.refusals ?? []).map(({ code }) => code) : [];
}

function signWith(key: string, text: string): string {
  const args = ["-q", "-Y", "sign", "-f", key, "-n", "release@holdpoint"];
  const stdio = ["pipe", "pipe", "ignore"] as const;
  return execFileSync("ssh-keygen", args, { input: text, encoding: "utf8", stdio: [...stdio] });
}

/** Under `word` an agent that hides is no more stopped than anybody; it is tried there as what it is. */
function tried({ scratch, policy }: Stage, more: readonly string[] = []): Reply {
  return policy === "word"
    ? scratch.hold([...ANSWER, ...more], { env: AGENT })
    : withoutTerminal(scratch, [...ANSWER, ...more]);
}

async function atTerminal(run: typeof atFakeTerminal, { scratch }: Stage): Promise<string[]> {
  const { printed } = await run(scratch, [...ANSWER, "--rules"], wordsIn);
  return printed.includes("signature-missing") ? ["signature-missing"] : [];
}

export const WAYS: Readonly<Record<string, Way>> = {
  "calling the CLI as the agent it is": {
    attack: async ({ scratch }) => codesOf(scratch.hold([...ANSWER, "--sign"], { env: AGENT })),
    refused: NAMED,
  },

  "calling the CLI under no name, as you would": {
    attack: async ({ scratch }) => codesOf(withoutTerminal(scratch, ANSWER)),
    refused: HIDDEN,
  },

  "a fake terminal: `script`": {
    attack: async (stage) => await atTerminal(atFakeTerminal, stage),
    refused: { signed: "signature-missing" },
  },

  "a fake terminal: `expect`": {
    attack: async (stage) => await atTerminal(atExpect, stage),
    refused: { signed: "signature-missing" },
  },

  "a program of its own around the engine": {
    attack: async (stage) =>
      await byLibrary(stage, async ({ statement }) => ({
        kind: "confirmed",
        by: ADA,
        statement: statement(ADA),
        ...(stage.policy === "signed" ? { signature: "-----BEGIN SSH SIGNATURE-----" } : {}),
      })),
    refused: { signed: "signature-bad" },
  },

  "editing state files": {
    attack: async ({ scratch }) => {
      scratch.edit(handoffOf(), (text) => text.replace(/^stage: 0$/m, "stage: 2"));
      scratch.edit("PLUGINS.md", (text) => text.replaceAll("Stage 0", "Stage 2"));
      return codesOf(scratch.hold(["report", NAME, "-"], { stdin: "{}" })).slice(0, 0);
    },
  },

  "a line in the journal with a correct hash, that deciding would not have written": {
    before: fencedIn,
    attack: async ({ scratch }) => {
      const commit = forgedSavepoint(scratch, `plugin-workflow:${NAME}`);
      const says = /vouches for nothing: record \d+ is not one that deciding could have made/;
      const move = ["update-ref", "refs/heads/main", commit];
      expectStopped(scratch, () => tryGit(scratch, move), says);
      return [];
    },
  },

  "a line exactly as deciding would have written it": {
    before: fencedIn,
    attack: async (stage) => {
      const { scratch, policy } = stage;
      const isSigned = policy === "signed";
      // Nobody can write the signature; all the rest is as where none is asked for.
      const twin = isSigned ? stageAt("word") : { ...stage, scratch: copyOf(scratch) };
      await asAda(twin, ANSWER);
      const { body } = forgerOf(twin.scratch, "plugin").records().at(-1) ?? {};
      const blobs = ".git/holdpoint/blobs";
      cpSync(join(twin.scratch.top, blobs), join(scratch.top, blobs), { recursive: true });
      // Under the date of the line before it: older than the policy, if dates were all that tells.
      forgerOf(scratch, "plugin").append(body as never);
      const tip = scratch.git("rev-parse", "main");
      finish(scratch, "2", { outputs: { parameter_count: 3 } });
      expect(scratch.git("rev-parse", "main") === tip).toBe(isSigned);
      const { stdout } = scratch.hold(["audit", "--chain"]);
      expect(stdout.includes("signature-missing")).toBe(isSigned);
      return [];
    },
  },

  "replaying a release": {
    before: releasedOnce,
    attack: async (stage) => {
      const { scratch, policy } = stage;
      if (policy === "word") return codesOf(scratch.hold([...ANSWER, "--decision", "D-1"]));
      const { statement, signature } = releasesIn(scratch).at(-1)?.proof ?? {};
      return await byLibrary(stage, async () => ({
        kind: "confirmed",
        by: ADA,
        statement: statement ?? "",
        ...(signature === undefined ? {} : { signature }),
      }));
    },
    refused: { word: "already-answered", presence: "answer-replayed", signed: "answer-replayed" },
  },

  "answering from a stale card": {
    before: releasedOnce,
    attack: async (stage) => {
      const { scratch, policy, ada } = stage;
      if (policy === "word") return codesOf(scratch.hold([...ANSWER, "--nonce", "D-1"]));
      return await byLibrary(stage, async (shown) => {
        const statement = shown.statement(ADA);
        scratch.write("plugins/TapeDelay/Source/Backdoor.cpp", "int main() {}\n");
        const proof = policy === "signed" ? { signature: signWith(ada, statement) } : {};
        return { kind: "confirmed", by: ADA, statement, ...proof };
      });
    },
    refused: { word: "answer-stale", presence: "release-stale", signed: "release-stale" },
  },

  "changing the policy on its branch": {
    attack: async (stage) => {
      const { scratch } = stage;
      scratch.git("switch", "--quiet", "-c", "agent");
      const weak = { checks: NO_CHECKS, protected: ["agent"], policy: { strength: "word" } };
      commitFile(scratch, "holdpoint.config.json", JSON.stringify(weak));
      return codesOf(tried(stage));
    },
    refused: { ...NAMED, ...HIDDEN },
  },

  "changing the signers on its branch": {
    attack: async (stage) => {
      const { scratch } = stage;
      const own = makeKey(scratch, "own");
      scratch.git("switch", "--quiet", "-c", "agent");
      commitPolicy(scratch, { strength: "signed", minutes: 60 }, lineOf(own, ADA));
      return codesOf(tried(stage, ["--sign", "--key", own]));
    },
    refused: { ...NAMED, presence: "signer-unknown", signed: "signer-unknown" },
  },

  "using your key, whose passphrase it does not know": {
    phrase: "a horse that nobody guesses",
    attack: async ({ scratch, ada }) => {
      const args = [...ANSWER, "--sign", "--key", ada, "--rules"];
      const asked = (printed: string): string | undefined =>
        printed.includes("passphrase") ? "a guess\n" : undefined;
      const { printed } = await atFakeTerminal(scratch, args, asked);
      expect(printed).toContain("signing-failed");
      return codesOf(withoutTerminal(scratch, args));
    },
    refused: { presence: "signing-failed", signed: "signing-failed" },
  },

  "using your key, which is an open file": {
    attack: async ({ scratch, ada }) =>
      codesOf(withoutTerminal(scratch, [...ANSWER, "--sign", "--key", ada])),
  },

  "using your key, through an `ssh-agent` that it reaches": {
    attack: async ({ scratch, ada }) => {
      const socket = join(homeOf(scratch), "agent");
      const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
      try {
        const env = { ...scratch.env, SSH_AUTH_SOCK: socket };
        await expect
          .poll(() => execFileSync("ssh-add", ["-q", ada], { env, stdio: "ignore" }))
          .toBeDefined();
        rmSync(ada);
        const args = [...ANSWER, "--sign", "--key", `${ada}.pub`];
        return codesOf(withoutTerminal({ ...scratch, env }, args));
      } finally {
        agent.kill();
      }
    },
  },

  "a copied session id": {
    attack: async (stage) => {
      const session = "human:ada";
      const env = { HOLDPOINT_SESSION: session, HOLDPOINT_ACTOR: `person:${ADA}` };
      const copied = { ...stage.scratch, env: { ...stage.scratch.env, ...env } };
      const agent = stage.policy === "word" ? AGENT : {};
      const codes = codesOf(copied.hold(ANSWER, { env: { ...env, ...agent } }));
      const named = ["--session", session, "--as", `person:${ADA}`];
      expect(codesOf(tried({ ...stage, scratch: copied }, named))).toEqual(codes);
      return codes;
    },
    refused: { ...NAMED, ...HIDDEN },
  },
};
