/** The small files beside the journal: whoever can write there may not stop or lead the program astray. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../process/clock.ts";
import { createRefusals } from "./refusals.ts";
import { createSessions } from "./sessions.ts";
import { createShown } from "./shown.ts";

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "own-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const who = { actor: "a", session: "s" };
const entry = { at: "t", stream: "w", command: "c", step: "d", ...who, refusals: [] };

describe("files of our own", () => {
  test("a pipe in their place is not waited for", async () => {
    for (const name of ["shown/w.json", "beats/s.json", "refusals/w.jsonl"]) pipe(name);
    expect(await createShown(join(dir, "shown")).read("w")).toBeUndefined();
    const liveness = await createSessions(join(dir, "beats"), systemClock).liveness("s");
    expect(liveness.kind).toBe("unknown");
    const refusals = createRefusals(join(dir, "refusals"));
    await refusals.add(entry);
    expect(await refusals.read("w")).toEqual([entry]);
  });

  test("a link in place of the refusals leads nowhere", async () => {
    const target = join(dir, "precious");
    writeFileSync(target, "kept\n");
    mkdirSync(join(dir, "refusals"));
    symlinkSync(target, join(dir, "refusals", "w.jsonl"));
    await createRefusals(join(dir, "refusals")).add(entry);
    expect(readFileSync(target, "utf8")).toBe("kept\n");
  });
});

describe("many at once", () => {
  test("refusals that meet at a full file are all kept", async () => {
    const refusals = createRefusals(join(dir, "refusals"));
    mkdirSync(join(dir, "refusals"));
    writeFileSync(join(dir, "refusals", "w.jsonl"), `${" ".repeat(1_048_577)}\n`);
    const entries = Array.from({ length: 20 }, (_, index) => ({ ...entry, at: `t${index}` }));
    await Promise.all(entries.map((one) => refusals.add(one)));
    expect((await refusals.read("w")).map(({ at }) => at).toSorted()).toEqual(
      entries.map(({ at }) => at).toSorted(),
    );
  });

  test("signs of life of one session, and showings of one workflow", async () => {
    const sessions = createSessions(join(dir, "beats"), systemClock);
    const shown = createShown(join(dir, "shown"));
    const times = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(times.map(() => sessions.beat("s")));
    await Promise.all(times.map((seq) => shown.write("w", { seq, views: {} })));
    expect((await sessions.liveness("s")).kind).toBe("alive");
    expect(times).toContain((await shown.read("w"))?.seq);
  });
});

function pipe(name: string): void {
  mkdirSync(join(dir, dirname(name)), { recursive: true });
  execFileSync("mkfifo", [join(dir, name)]);
}
