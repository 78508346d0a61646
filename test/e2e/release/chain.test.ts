/** A journal that somebody with the same user has written into, cut or made anew: which of its witnesses say so. */
import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchDirectory, tamper } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { expectStopped, fenced, tryGit } from "../fence.ts";
import { forgedSavepoint, forgerOf } from "../forged.ts";
import { answer, NAME, pluginAt } from "../plugin.ts";
import { signedPlugin } from "../release.ts";

interface Chained {
  readonly ok: boolean;
  readonly bad: readonly {
    readonly journal: string;
    readonly seq: number;
    readonly code: string;
    readonly message: string;
  }[];
  readonly doubts: readonly string[];
  readonly signatures: number;
  readonly commits: number;
  readonly witness?: { readonly seen: number; readonly kept: boolean };
}

function chain(scratch: Scratch, ...more: readonly string[]): Chained {
  const { json, exit } = scratch.hold(["audit", "--chain", ...more]);
  const told = json as unknown as Chained;
  expect(exit).toBe(told.ok ? 0 : 1);
  return told;
}

const STREAM = `plugin-workflow:${NAME}`;

describe("audit --chain", () => {
  test("agrees where nobody has touched anything, and says what it looked at", () => {
    const scratch = pluginAt("s2");
    expect(chain(scratch)).toMatchObject({ ok: true, bad: [], doubts: [] });
    expect(chain(scratch).commits).toBeGreaterThan(1);
    expect(scratch.say("audit --chain").stdout).toContain("they agree");
    expect(scratch.hold("audit").exit).toBe(2);
    expect(chain(scratch, NAME)).toMatchObject({ ok: true });
    expect(scratch.hold(["audit", "--chain", "Nobody"]).exit).toBe(10);
  });

  test("names a line with a correct hash that deciding could not have written", () => {
    const scratch = pluginAt("s0");
    const forger = forgerOf(scratch, "plugin");
    const count = forger.records().length;
    forger.append({
      command: "unit.move",
      actor: "person:ada",
      session: "s",
      events: [
        {
          type: "unit.moved",
          unit: ".",
          move: "x",
          from: "stage-0",
          to: "working",
          back: [],
          reason: "",
        },
      ],
      used: {},
    });
    const { bad } = chain(scratch);
    expect(bad[0]).toMatchObject({ journal: STREAM, seq: count + 1 });
  });

  test("a journal that was cut disagrees with the commits, whatever lies beside it was forgotten", () => {
    const scratch = pluginAt("s2");
    const forger = forgerOf(scratch, "plugin");
    forger.cut(2);
    forger.forget("snapshots", "shown", "refusals");
    expect(chain(scratch).bad[0]).toMatchObject({
      journal: STREAM,
      seq: 3,
      code: "journal-truncated",
    });
  });

  test("a journal that was written anew disagrees with the commits, and the first such record is named", () => {
    const scratch = pluginAt("s2");
    const forger = forgerOf(scratch, "plugin");
    forger.rewrite(3, (record) => ({ ...record, at: "2026-01-01T00:00:00.000Z" }));
    forger.forget("snapshots", "shown", "refusals");
    const codes = chain(scratch).bad.filter((one) => one.code === "journal-rewritten");
    expect(codes[0]).toMatchObject({ journal: STREAM, seq: 3 });
  });

  test("a journal that is gone is missed by the commits that were made for it", () => {
    const scratch = pluginAt("s0");
    const forger = forgerOf(scratch, "plugin");
    rmSync(forger.journal);
    forger.forget("snapshots", "shown", "refusals");
    expect(chain(scratch).bad).toMatchObject([
      { journal: STREAM, seq: 0, code: "journal-missing" },
    ]);
  });

  test("a commit that borrows the trailer of a record is named", () => {
    const scratch = pluginAt("s0");
    const message = scratch.git("log", "-1", "--format=%B");
    scratch.git("commit", "--quiet", "--allow-empty", "-m", message);
    expect(chain(scratch).doubts.join()).toContain("is not the commit that it wanted");
  });
});

describe("under signed", () => {
  test("every signature is checked again, and one changed byte in it is found", () => {
    const { scratch, ada } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "1", "--sign", ...keyOf(ada)]).json).toMatchObject({
      ok: true,
    });
    expect(chain(scratch)).toMatchObject({ ok: true, signatures: 1 });
    const forger = forgerOf(scratch, "plugin");
    const seq =
      forger.records().findIndex((one) => JSON.stringify(one).includes("release.given")) + 1;
    forger.rewrite(seq, renonced);
    forger.forget("snapshots", "shown", "refusals");
    expect(chain(scratch).bad[0]).toMatchObject({ journal: STREAM, seq, code: "signature-bad" });
  });

  test("an answer that somebody wrote into the journal has no signature, and moves no fenced branch", () => {
    const { scratch } = signedPlugin();
    scratch.hold("list");
    const plain = pluginAt("s0");
    answer(plain, "1");
    const forged = forgerOf(plain, "plugin").records().at(-1) ?? {};
    const forger = forgerOf(scratch, "plugin");
    scratch.hold(["answer", NAME, "1"]);
    const count = forger.records().length;
    forger.append(forged["body"] as never, new Date(Date.now() + 1000).toISOString());
    const { bad } = chain(scratch);
    expect(bad[0]).toMatchObject({ journal: STREAM, seq: count + 1 });
    expect(bad.map((one) => one.code)).toContain("signature-missing");
  });
});

function keyOf(file: string): readonly string[] {
  return ["--key", file];
}

/** The same wherever it stands: nothing but the signature can tell. */
function renonced<T>(record: T): T {
  const text = JSON.stringify(record);
  const [, nonce = ""] = /"nonce":"([^"]+)"/.exec(text) ?? [];
  const other = `${nonce.startsWith("0") ? "1" : "0"}${nonce.slice(1)}`;
  return JSON.parse(text.replaceAll(nonce, other)) as T;
}

describe("audit --witness", () => {
  test("a file: what it has seen must still be there", () => {
    const scratch = pluginAt("s0");
    const file = join(scratchDirectory(), "heads");
    expect(chain(scratch, "--witness", file).witness).toEqual({ seen: 0, kept: true });
    answer(scratch, "1");
    expect(chain(scratch, "--witness", file).witness).toEqual({ seen: 1, kept: true });
    const before = readFileSync(file, "utf8");
    const forger = forgerOf(scratch, "plugin");
    forger.cut(forger.records().length - 1);
    forger.forget("snapshots", "shown", "refusals");
    const told = chain(scratch, "--witness", file);
    expect(told).toMatchObject({ ok: false, witness: { kept: false } });
    expect(told.bad.map((one) => one.message).join()).toContain("the witness saw record");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("a whole store that was put back to an earlier day is noticed by nobody else", () => {
    const scratch = pluginAt("p0");
    tamper(scratch);
    const file = join(scratchDirectory(), "heads");
    chain(scratch, "--witness", file);
    appendFileSync(
      file,
      `${JSON.stringify({ holdpoint: "heads/1", at: "2026-11-18", heads: { "plugin-workflow:Gone": { seq: 4, hash: "a" } } })}\n`,
    );
    expect(chain(scratch)).toMatchObject({ ok: true });
    expect(chain(scratch, "--witness", file).bad).toMatchObject([
      { journal: "plugin-workflow:Gone", seq: 1, code: "journal-truncated" },
    ]);
  });

  test("a program keeps them, and prints what it has", () => {
    const scratch = pluginAt("p0");
    const room = scratchDirectory();
    const program = join(room, "witness");
    writeFileSync(
      program,
      `#!/bin/sh\nif [ "$1" = keep ]; then cat >> ${room}/kept; else cat ${room}/kept 2>/dev/null || true; fi\n`,
    );
    chmodSync(program, 0o755);
    expect(chain(scratch, "--witness", program).witness).toEqual({ seen: 0, kept: true });
    expect(chain(scratch, "--witness", program).witness).toEqual({ seen: 1, kept: true });
  });

  test("one that cannot be used, or that others have written to, is refused", () => {
    const scratch = pluginAt("p0");
    const code = (name: string): string | undefined =>
      scratch.hold(["audit", "--witness", name]).json.refusals?.[0]?.code;
    expect(code(scratchDirectory())).toBe("witness-unusable");
    expect(code("/no/such/program keep")).toBe("witness-unusable");
    const file = join(scratchDirectory(), "heads");
    writeFileSync(file, "not a line of ours\n");
    expect(code(file)).toBe("witness-unreadable");
  });
});

test("a forged line that wants exactly this commit moves no fenced branch", () => {
  const scratch = fenced();
  answer(scratch, "1");
  const forger = forgerOf(scratch, "plugin");
  for (const guards of [undefined, "another build"]) {
    const commit = forgedSavepoint(scratch, STREAM, guards);
    const says = /vouches for nothing: record \d+ is not one that deciding could have made/;
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", commit]), says);
    forger.cut(forger.records().length - 1);
    forger.forget("snapshots", "shown", "refusals");
  }
});

test("a line that no fold understands stops neither the status of the fence nor the next command", () => {
  const scratch = fenced();
  forgerOf(scratch, "plugin").append({
    command: "x",
    actor: "agent:eve",
    session: "s",
    events: [{ type: "odd" }],
    used: {},
  });
  const { json, exit } = scratch.hold("fence status");
  expect([exit, json.error]).toEqual([expect.any(Number), undefined]);
  expect(scratch.hold("list").json.ok).toBe(true);
  expect(chain(scratch).ok).toBe(false);
});
