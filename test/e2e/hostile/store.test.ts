/** A journal that somebody has damaged, and a clock that was set back. */
import { lstatSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { start } from "../../../src/engine/engine.ts";
import { handle } from "../../../src/engine/handle.ts";
import { repository } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import {
  DONE,
  FAILED,
  HELD,
  PATIENCE_MS,
  aboutToReport,
  commits,
  everything,
  expectClear,
  expectFinishes,
  report,
} from "../hostile.ts";
import { NAME, doWork, ideas } from "../plugin.ts";
import { sessionAt } from "../team.ts";

describe("a damaged store", () => {
  function journalOf(scratch: Scratch): string {
    const dir = join(scratch.top, ".git/holdpoint/journals");
    const [file = ""] = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
    return join(dir, file);
  }

  const DAMAGE: readonly (readonly [string, (scratch: Scratch) => void])[] = [
    ["one changed byte in the last record", (scratch) => changeByte(scratch, 0.9)],
    ["one changed byte in the first record", (scratch) => changeByte(scratch, 0.05)],
    [
      "cut in the middle",
      (scratch) =>
        truncateSync(journalOf(scratch), Math.floor(lstatSync(journalOf(scratch)).size / 2)),
    ],
    ["emptied", (scratch) => truncateSync(journalOf(scratch), 0)],
    ["deleted", (scratch) => rmSync(journalOf(scratch))],
  ];

  function changeByte(scratch: Scratch, part: number): void {
    const bytes = readFileSync(journalOf(scratch));
    const at = Math.floor(bytes.length * part);
    bytes[at] = bytes[at] === 0x58 ? 0x59 : 0x58;
    writeFileSync(journalOf(scratch), bytes);
    // The last record is vouched for by the snapshot alone; the first by every record after it.
    if (part < 0.5) rmSync(join(scratch.top, ".git/holdpoint/snapshots"), { recursive: true });
  }

  test.each(DAMAGE)(
    "[S5] a journal with %s is named; nothing is built upon it, nothing is shown",
    (_, damage) => {
      const scratch = aboutToReport();
      damage(scratch);
      const before = everything(scratch);
      for (const reply of [
        report(scratch),
        scratch.hold(`status ${NAME}`),
        scratch.hold(`advance ${NAME}`),
      ]) {
        expect(reply.exit, reply.stdout).toBe(FAILED);
        expect(reply.stdout).toMatch(/"code":"journal-(broken|truncated|unreadable)"/);
        expect(reply.stdout).toContain("backup");
      }
      const verified = scratch.hold("verify --all");
      expect(verified.exit, verified.stdout).toBe(2);
      expect(verified.stdout).toContain("journal-");
      expect(everything(scratch)).toEqual(before);
    },
    PATIENCE_MS,
  );

  test("[S5] a byte changed behind a snapshot is found by verify and audit, and the commit is made all the same", () => {
    const scratch = aboutToReport();
    const bytes = readFileSync(journalOf(scratch));
    bytes[100] = bytes[100] === 0x58 ? 0x59 : 0x58;
    writeFileSync(journalOf(scratch), bytes);
    expect(report(scratch).exit).toBe(HELD);
    expect(commits(scratch)).toBe(2);
    expect(scratch.hold("verify --all").stdout).toContain("journal-broken");
    expect(scratch.hold(`audit ${NAME}`).exit).toBe(FAILED);
  });

  test("[S4] an unfinished last line never happened", () => {
    const scratch = aboutToReport();
    writeFileSync(journalOf(scratch), '{"seq":3,"half', { flag: "a" });
    expectFinishes(scratch);
  });

  test("[S1] snapshots and what was shown are caches: damaged or foreign ones change nothing", () => {
    const scratch = aboutToReport();
    const top = join(scratch.top, ".git/holdpoint");
    for (const dir of ["snapshots", "shown", "beats"])
      for (const name of readdirSync(join(top, dir)))
        writeFileSync(
          join(top, dir, name),
          '{"seq":99,"views":{"../../x":"y"},"state":{"hacked":true}}',
        );
    expect(scratch.hold(`status ${NAME}`).json.seq).toBe(2);
    expectFinishes(scratch);
  });

  test("another format, a file in its place: an error with a fix", () => {
    const other = aboutToReport();
    writeFileSync(join(other.top, ".git/holdpoint/format"), "holdpoint 9\n");
    const file = aboutToReport();
    rmSync(join(file.top, ".git/holdpoint"), { recursive: true });
    writeFileSync(join(file.top, ".git/holdpoint"), "x");
    for (const scratch of [other, file]) {
      const reply = report(scratch);
      expect(reply.exit).toBe(FAILED);
      expectClear(reply, /\.git\/holdpoint/);
    }
  });

  /** One record by a clock that is years ahead: the workflow's next one, whatever it is. */
  async function noteAhead(scratch: Scratch, protocol: string, id: string): Promise<void> {
    const composed = await compose({ cwd: scratch.top, env: scratch.env });
    if (composed.kind === "failed") throw new Error(composed.message);
    const clock = { ...composed.parts.clock, now: () => "2099-01-01T00:00:00.000Z" };
    const parts = { ...composed.parts, clock };
    const family = await parts.families.get(protocol);
    if (family === undefined) throw new Error("no family");
    const caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
    const command = { type: "note.add", list: "other", tag: "x", text: "ahead" } as const;
    const outcome =
      id === ""
        ? await start(parts, family, { id: NAME, options: {}, caller })
        : await handle(parts, { family, workflow: id, command, ...caller });
    await parts.journal.close();
    if (outcome.kind === "refused" || outcome.kind === "failed") throw new Error(outcome.kind);
  }

  test("[PW-223] a clock that ran ahead is named once; no later record and no file carries its time on", async () => {
    const scratch = repository();
    await noteAhead(scratch, "plugin-workflow", "");
    expect(scratch.read("PLUGINS.md")).toContain("2099-01-01");
    scratch.write(ideas("creative-brief.md"), "brief\n");
    scratch.write(ideas("parameter-spec.md"), "spec\n");
    expect(scratch.hold(`advance ${NAME}`).exit).toBe(DONE);
    doWork(scratch, "0");
    expect(report(scratch).exit).toBe(HELD);
    const { entries = [], ...audited } = scratch.hold(`audit ${NAME}`).json;
    const [first = "", ...later] = entries.map((entry) => entry.at);
    expect(first).toBe("2099-01-01T00:00:00.000Z");
    expect(later).toEqual(later.toSorted());
    expect(later.every((time) => time < "2099")).toBe(true);
    expect(audited).toMatchObject({ ok: true, forged: [] });
    expect(audited).toMatchObject({
      doubts: expect.arrayContaining([expect.stringMatching(/record 2 .*a clock was wrong/)]),
    });
    expect(scratch.hold("verify --all").exit).toBe(DONE);
    expect(scratch.say(`status ${NAME}`).stdout).toMatch(/just now|for \d+ seconds?/);
    expect(scratch.read("PLUGINS.md")).not.toContain("2099");
  });

  test("the same in the middle of a session: its files are right again with the next record", async () => {
    const session = sessionAt("plan");
    await noteAhead(session.repo, "team-contract", session.id);
    expect(session.read("status.json")).toContain("2099-01-01");
    session.work("plan");
    expect(session.read("status.json")).not.toContain("2099");
    expect(session.repo.hold(["verify", session.id]).json).toMatchObject({ ok: true });
    expect(session.repo.hold(["audit", session.id]).stdout).toContain("a clock was wrong");
  });
});
