/** From loading to the append: races, ids, clocks, what is kept, and what a hook or a file refuses. */
import { describe, expect, test } from "vitest";
import { ADA, accepted, BOT, codesOf, press, pressAt, written } from "../../test/press.ts";
import type { PressOptions } from "../../test/press.ts";
import { sha256 } from "../../test/memory-parts.ts";
import type { Parts } from "./parts.ts";
import { submit } from "./submit.ts";
import { damaged } from "./unrecorded.ts";

const NOTE = { type: "note.add", list: "timeline", tag: "", text: "hello" } as const;

/** The journal with something in the place of its append. */
function appending(
  append: (parts: Parts, tries: number) => ReturnType<Parts["journal"]["append"]> | undefined,
): PressOptions {
  let tries = 0;
  return {
    parts: (parts) => ({
      journal: {
        ...parts.journal,
        append: async (...args) =>
          args[2].id.startsWith("id-") && (await parts.journal.load("press:x")).state.seq > 0
            ? (append(parts, (tries += 1)) ?? parts.journal.append(...args))
            : parts.journal.append(...args),
      },
    }),
  };
}

describe("a race", () => {
  test("that is lost is decided anew, on what the winner recorded", async () => {
    const it = await press(
      appending((_, tries) =>
        tries < 3 ? Promise.resolve({ kind: "conflict", head: { seq: 9, hash: "" } }) : undefined,
      ),
    );
    expect((await it.move("do")).kind).toBe("done");
  });

  test("that is never won is given up", async () => {
    let asked = 0;
    const it = await press(
      appending(() => {
        asked += 1;
        return Promise.resolve({ kind: "conflict", head: { seq: 9, hash: "" } });
      }),
    );
    expect(await it.move("do")).toEqual({
      kind: "failed",
      code: "busy",
      message: "x is being changed by others all the time",
      fix: "Try again.",
    });
    expect(asked).toBe(32);
  });

  test("that is lost while a no was found is told about the winner", async () => {
    let race = true;
    const it = await press({
      parts: (parts) => ({
        workspace: {
          ...parts.workspace,
          // Somebody shelves it while it is looked for.
          digest: async (path) => {
            if (race && path === "x.md") {
              race = false;
              const command = { type: "unit.move", unit: ".", move: "stop" } as const;
              const actor = { kind: "engine", name: "holdpoint" } as const;
              const other = { family: it.family, workflow: "x", command, actor };
              await submit(it.parts, { ...other, session: BOT.session });
            }
            return await parts.workspace.digest(path);
          },
        },
      }),
    });
    race = false;
    await it.send(BOT);
    race = true;
    const told = await it.report();
    expect(codesOf(told)).not.toContain("article-missing");
    expect(it.refusals).toHaveLength(1);
  });

  test("fails where the journal takes nothing", async () => {
    for (const code of ["disk", "damaged"] as const) {
      const it = await press(
        appending(() => Promise.resolve({ kind: "failed", code, message: "no" })),
      );
      expect(await it.move("do")).toMatchObject({
        kind: "failed",
        code: `journal-${code}`,
        message: "no",
        fix:
          code === "disk"
            ? "Make room or make the directory writable, then try again; nothing was recorded."
            : { operation: "verify", input: { all: true } },
      });
    }
  });
});

describe("files that change while it is decided", () => {
  test("are decided on anew; where they never hold still it is given up", async () => {
    for (const [times, kind] of [
      [3, "done"],
      [500, "failed"],
    ] as const) {
      let left = 0;
      const it = await press({
        files: { "x.md": "text" },
        parts: ({ workspace }) => ({
          workspace: {
            ...workspace,
            stamp: async (path) => (path === "x.md" ? undefined : await workspace.stamp(path)),
            digest: async (path) => {
              if (path !== "x.md" || left === 0) return await workspace.digest(path);
              left -= 1;
              return `sha256:${String(left)}`;
            },
          },
        }),
      });
      await it.send();
      left = times * 2;
      const told = await it.report();
      expect(told.kind === "held" ? "done" : told.kind).toBe(kind);
    }
  });

  test("in another's part change nothing of what was decided", async () => {
    let changed = false;
    const it = await press({
      parts: ({ workspace, ...parts }, { files }) => ({
        blobs: {
          ...parts.blobs,
          put: async (content) => {
            if (changed) files.set("NEWS.md", `${it.text("NEWS.md")}\nSomebody's line\n`);
            changed = false;
            return await parts.blobs.put(content);
          },
        },
        workspace,
      }),
    });
    changed = true;
    expect((await it.move("shelve")).kind).toBe("done");
    expect(it.files.get("NEWS.md")).toContain("Somebody's line");
  });
});

describe("a record", () => {
  test("says who asked for what, by which guards and on which facts", async () => {
    const it = await written();
    const report = (await it.parts.journal.read("press:x"))[2];
    expect(report?.body).toMatchObject({
      command: "dispatch.report",
      actor: "agent:bot",
      session: "s-1",
      used: { "digest:x.md": `sha256:${sha256("text")}` },
      guards: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(report?.body).not.toHaveProperty("agent");
    const vouched = { actor: { ...BOT.actor, agent: "c:s" }, session: "s-1" };
    await it.give(NOTE, vouched);
    expect((await it.parts.journal.read("press:x")).at(-1)?.body["agent"]).toBe("c:s");
  });

  test("keeps a copy of what it seals, and says where it could not", async () => {
    const it = await written();
    expect(it.blobs.get(sha256("text"))).toBe("text");
    const other = await press({
      files: { "x.md": "text" },
      parts: ({ workspace }) => ({
        workspace: {
          ...workspace,
          bytes: async () => ({
            kind: "unreadable",
            code: "too-large",
            message: "it is too large",
            fix: "",
          }),
        },
      }),
    });
    await other.send();
    expect(accepted(await other.report()).warnings).toContain(
      "x.md is sealed, but no copy is kept to put it back: it is too large",
    );
    expect(accepted(await it.answer("no")).warnings).toEqual([]);
  });

  test("has the time of the clock, but not one from before this program was written", async () => {
    let now = "2026-03-01T10:00:00.000Z";
    const it = await press({ parts: ({ clock }) => ({ clock: { ...clock, now: () => now } }) });
    const timeOf = async (): Promise<string | undefined> =>
      (await it.parts.journal.read("press:x")).at(-1)?.at;
    // A clock that ran ahead does not give its time to all that follow.
    now = "2026-02-01T10:00:00.000Z";
    await it.give(NOTE);
    expect(await timeOf()).toBe(now);
    now = "1970-01-01T00:00:00.000Z";
    await it.give(NOTE);
    expect(await timeOf()).toBe("2026-02-01T10:00:00.000Z");
    now = "2025-01-01";
    await it.give(NOTE);
    expect(await timeOf()).toBe(now);
  });

  test("is not made where nothing happens", async () => {
    const it = await press();
    const { seq } = await it.state();
    const told = accepted(await it.give({ type: "lease.release" }));
    expect(told).toMatchObject({ kind: "done", events: [] });
    expect((await it.state()).seq).toBe(seq);
  });

  test("says where the repository has no such check, and the answer says so too", async () => {
    const it = await press({ config: { none: { tests: "a prototype" } } });
    const told = accepted(await it.move("check"));
    const text = "tests did not run: none here (a prototype)";
    expect(told.warnings).toEqual([text]);
    expect(told.events).toContainEqual({ type: "warned", about: "check:tests", text });
  });
});

describe("what a hook refuses", () => {
  const rejected: PressOptions = {
    files: { "x.md": "text" },
    repository: true,
    parts: ({ git }) => ({
      git: {
        ...git,
        prepare: async () => ({ kind: "rejected", code: "hook", message: "no tabs", fix: "Mend." }),
      },
    }),
  };

  test("keeps the report, and a person is asked", async () => {
    const it = await press(rejected);
    await it.send();
    const told = accepted(await it.report("success", { ...BOT, id: "r-1" }));
    expect(told.kind).toBe("held");
    expect(told.state.dispatches["W-1"]?.status).toBe("parked");
    const open = Object.values(told.state.decisions);
    expect(open).toMatchObject([
      { question: "commit-failed", about: { code: "hook", message: "no tabs", fix: "Mend." } },
    ]);
    const last = (await it.parts.journal.read("press:x")).at(-1);
    expect(last).toMatchObject({ id: "r-1.park", body: { command: "dispatch.park" } });
    const again = accepted(await it.report("success", { ...BOT, id: "r-1" }));
    expect(again).toMatchObject({ repeated: true, kind: "held" });
  });

  test("is a refusal where the protocol asks nothing about it", async () => {
    const { written: row } = Object.fromEntries(
      (pressAt().family.protocol.kinds["article"]?.moves ?? []).map((one) => [one.id, one]),
    );
    const effects = (row?.effects ?? []).map(({ failed: _failed, ...one }) => one);
    const article = pressAt().family.protocol.kinds["article"];
    const moves = (article?.moves ?? []).map((one) =>
      one.id === "written" ? { ...one, effects } : one,
    );
    const { "commit-failed": _, ...questions } = pressAt().family.protocol.questions;
    if (article === undefined) throw new Error("no article");
    const table = { kinds: { article: { ...article, moves } }, questions, rules: { hook: "P-77" } };
    const it = await press({ ...rejected, table });
    await it.send();
    const told = await it.report();
    expect(told).toMatchObject({
      kind: "refused",
      refusals: [{ code: "hook", message: "no tabs", fix: "Mend.", rule: "P-77" }],
    });
    expect(it.refusals).toMatchObject([{ command: "dispatch.report", step: "W-1/writer" }]);
    expect((await it.state()).dispatches["W-1"]?.status).toBe("open");
  });

  test("does not keep an answer: what a hook refused, it would refuse again", async () => {
    const it = await written();
    it.files.set("NEWS.md", { kind: "unreadable", code: "link", message: "a link", fix: "No." });
    const kept = accepted(await it.answer("yes", { ...ADA, id: "a-1" }));
    expect(kept.state.decisions["D-1"]?.kept).toMatchObject({ text: "yes", name: "ada" });
    const last = (await it.parts.journal.read("press:x")).find((one) => one.id === "a-1.kept");
    expect(last?.body["command"]).toBe("answer.keep");
  });
});

test("nothing asks for a run where nobody could make one", async () => {
  const config = { checks: { tests: { run: ["npm", "test"], minutes: 1 } } };
  const it = await press({ config });
  const command = { type: "unit.move", unit: ".", move: "check" } as const;
  const request = { family: it.family, workflow: "x", command, ...ADA, ran: [] };
  expect(codesOf(await submit(it.parts, request))).toEqual(["untested"]);
});

test("a damaged journal is named, with what to do", () => {
  const head = { seq: 0, hash: "" };
  const { state } = { state: {} as never };
  expect(damaged("press:x", { head, state })).toMatchObject({
    code: "journal-broken",
    message: "The journal of press:x is damaged: ",
    fix: { operation: "verify" },
  });
});
