/** The policy that is committed becomes the one that is agreed on, unless it asks for less. */
import { describe, expect, test } from "vitest";
import { agree, around, oid } from "../../../test/fenced.ts";
import { press, pressAt } from "../../../test/press.ts";
import type { Press } from "../../../test/press.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import { repositoryFamily } from "../../protocols/repository/index.ts";
import type { Family } from "../../ports/family.ts";
import { followPolicy } from "./follow.ts";

const KEY = `ada ssh-ed25519 ${"A".repeat(68)}`;
const PRESENCE = { strength: "presence" };
const SIGNED = { strength: "signed" };

interface Standing {
  readonly it: Press;
  /** Commit another policy, or none, and let it be followed; what is agreed on then. */
  readonly follow: (policy: JsonObject | undefined, signers?: readonly string[]) => Promise<string>;
}

async function standing(beside: readonly Family[] = [repositoryFamily]): Promise<Standing> {
  const git = around();
  const it = await press({
    repository: true,
    beside,
    parts: (all) => ({
      git: {
        ...all.git,
        branch: async () => undefined,
        resolve: async (name) => (name === "refs/heads/main" ? oid("tip") : undefined),
        committed: async (commit, path) => Buffer.from(git.files.get(`${commit}:${path}`) ?? ""),
      },
    }),
  });
  return {
    it,
    follow: async (policy, signers = [KEY]) => {
      agree(git, "tip", policy === undefined ? "" : { policy }, signers);
      await followPolicy(it.parts);
      return await agreedIn(it);
    },
  };
}

async function agreedIn(it: Press): Promise<string> {
  const { state } = await it.parts.journal.load("repository:repository");
  return text(object(object(state.vars["accepted"])["policy"])["strength"]) || "none";
}

async function records(it: Press): Promise<number> {
  return (await it.parts.journal.read("repository:repository")).length;
}

describe("a committed policy", () => {
  test("is agreed on as it is when it is the first, with the heads of all journals", async () => {
    const { it, follow } = await standing();
    expect(await follow(undefined)).toBe("none");
    expect(await records(it)).toBe(0);
    expect(await follow(PRESENCE)).toBe("presence");
    const { vars } = (await it.parts.journal.load("repository:repository")).state;
    const { head } = await it.parts.journal.load("press:x");
    expect(vars["heads"]).toEqual({ "press:x": `${head.seq} ${head.hash}` });
  });

  test("is followed where it asks for more, and noted once", async () => {
    const { it, follow } = await standing();
    await follow(PRESENCE);
    expect(await follow(SIGNED)).toBe("signed");
    expect(await records(it)).toBe(2);
    expect(await follow(SIGNED)).toBe("signed");
    expect(await records(it)).toBe(2);
  });

  test("waits for a person where it asks for less, or goes", async () => {
    const { it, follow } = await standing();
    await follow(SIGNED);
    expect(await follow(PRESENCE)).toBe("signed");
    expect(await follow(undefined)).toBe("signed");
    expect(await records(it)).toBe(1);
  });

  test("is not agreed on where nobody could fulfil it", async () => {
    const { follow } = await standing();
    expect(await follow(SIGNED, [])).toBe("none");
    expect(await follow(PRESENCE)).toBe("presence");
    expect(await follow({ ...SIGNED, people: 2 })).toBe("presence");
  });

  test("counts only where a commit has it, and where the repository has its protocol", async () => {
    const { parts } = pressAt({
      beside: [repositoryFamily],
      config: { policy: { gates: {}, ...PRESENCE } },
    });
    await followPolicy(parts);
    expect(await parts.journal.read("repository:repository")).toEqual([]);
    const { follow } = await standing([]);
    expect(await follow(PRESENCE)).toBe("none");
  });

  test("that a workflow remembers is where a lost journal begins again", async () => {
    const { it, follow } = await standing();
    await follow(SIGNED);
    await it.move("do");
    const { agreed } = await it.state();
    expect(agreed).toMatchObject({ seq: 1 });
    const kept = await press({ repository: true, beside: [repositoryFamily] });
    const { journal } = it.parts;
    const lost = kept.parts.journal;
    const isOwn = (stream: string): boolean => stream.startsWith("press:");
    const parts = {
      ...it.parts,
      journal: {
        ...lost,
        load: async (stream: string) => await (isOwn(stream) ? journal : lost).load(stream),
        list: journal.list,
        streams: journal.streams,
      },
    };
    const { git } = kept.parts;
    await followPolicy({ ...parts, git: { ...git, resolve: async () => undefined } });
    const { state } = await lost.load("repository:repository");
    expect(object(state.vars["accepted"])).toMatchObject({ policy: SIGNED });
  });
});
