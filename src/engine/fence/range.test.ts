/** A range of commits, asked about before somebody lets it on. */
import { describe, expect, test } from "vitest";
import { agree, commit, fenced, oid, release, wantedCommit } from "../../../test/fenced.ts";
import type { Fenced } from "../../../test/fenced.ts";
import type { CommitFacts } from "../../ports/fence.ts";
import { judgeRange } from "./range.ts";

/** The article's commit on the base, and one of nobody's on it. */
async function ranged(): Promise<{ readonly it: Fenced; readonly made: CommitFacts }> {
  const it = await fenced();
  await it.send();
  await it.report();
  const made = await wantedCommit(it);
  commit(it.git, "stray", "", { parents: [made.oid] });
  return { it, made };
}

const BASE = oid("base");
const STRAY = oid("stray");
const ALONE = "it cannot be vouched for here: no journal of this clone wanted it";

async function told(it: Fenced, range: string): Promise<readonly string[]> {
  const judged = await judgeRange(it.parts, range);
  if ("code" in judged) return [judged.code, judged.message];
  return judged.map(({ released, why }) => `${released ? "yes" : "no"}: ${why}`);
}

describe("a range", () => {
  test("says of each commit who released it, or that nobody did", async () => {
    const { it, made } = await ranged();
    expect(await judgeRange(it.parts, `${BASE}..${made.oid}`)).toEqual([
      { oid: made.oid, released: true, why: "E-1 of press:x" },
    ]);
    expect(await told(it, `${BASE}..${STRAY}`)).toEqual([
      "yes: E-1 of press:x",
      `no: ${ALONE}; ${BASE.slice(0, 12)}, where it stands, has no policy that asks for signatures`,
    ]);
    await wantedCommit(it, { tree: "other" });
    expect(await told(it, `${BASE}..${made.oid}`)).toEqual([
      expect.stringMatching(
        `^no: ${ALONE}; it names record ${made.trailers["Holdpoint-Record"]?.slice(0, 12)}; `,
      ),
    ]);
  });

  test("is released by no journal that cannot be believed", async () => {
    const { it, made } = await ranged();
    const { head } = await it.parts.journal.load("press:x");
    const body = { command: "odd", actor: "person:ada", session: "s", used: {}, events: [] };
    await it.parts.journal.append("press:x", head, { id: "1", at: "2026-03-01T12:00:00Z", body });
    expect(await told(it, `${BASE}..${made.oid}`)).toEqual([
      expect.stringMatching(/^no: The journal of press:x vouches for nothing: record 4/),
    ]);
  });

  test("that git does not understand, or that is too long, is not judged", async () => {
    const { it } = await ranged();
    expect(await told(it, "no..where")).toEqual([
      "range-unknown",
      'git does not understand "no..where", or does not have all of it',
    ]);
    const long = (count: number): Fenced => {
      const range = async (): Promise<readonly string[]> => Array<string>(count).fill(STRAY);
      return { ...it, parts: { ...it.parts, fencing: { ...it.git.fencing, range } } };
    };
    expect(await told(long(10_001), "a..b")).toEqual([
      "range-too-long",
      '"a..b" has more than 10000 commits',
    ]);
    expect(await told(long(10_000), "a..b")).toHaveLength(10_000);
  });

  test("of commits that are not here, or of a shallow clone, says so", async () => {
    const { it } = await ranged();
    const range = async (): Promise<readonly string[]> => [oid("unread"), STRAY];
    const fencing = { ...it.git.fencing, range, isShallow: () => true };
    const shallow = { ...it, parts: { ...it.parts, fencing } };
    expect(await told(shallow, "all")).toEqual([
      "no: it cannot be read",
      "no: it cannot be vouched for here (a shallow clone): no journal of this clone wanted it",
    ]);
  });

  test("may have been released by people as one move", async () => {
    const it = await fenced();
    commit(it.git, "new", "base");
    const config = { policy: { strength: "signed" } };
    agree(it.git, "base", config, ["ben key-ben"]);
    const carry = (ref: string): void =>
      void it.git.carried.set(oid("new"), [
        JSON.stringify(release({ from: "base", by: "ben", ref })),
      ]);
    const short = oid("new").slice(0, 12);
    const released = (branch: string): string =>
      `yes: people released that ${branch} moves to ${short}`;
    const range = `${BASE}..${oid("new")}`;
    expect(await told(it, range)).toEqual([`no: ${ALONE}; no signed release of it came along`]);
    carry("refs/heads/master");
    expect(await told(it, range)).toEqual([released("master")]);
    const aside = [expect.stringMatching(/^no: .*; what was released is master from /)];
    agree(it.git, "base", { ...config, protected: ["trunk"] }, ["ben key-ben"]);
    expect(await told(it, range)).toEqual(aside);
    carry("refs/heads/trunk");
    expect(await told(it, range)).toEqual([released("trunk")]);
    const names: Readonly<Record<string, string>> = {
      HEAD: oid("new"),
      work: oid("new"),
      main: BASE,
    };
    const fencing = { ...it.git.fencing, range: async () => [oid("new")] };
    const resolve = async (name: string): Promise<string | undefined> => names[name];
    const named = { ...it, parts: { ...it.parts, fencing: { ...fencing, resolve } } };
    expect(await told(named, "main..work")).toEqual([released("trunk")]);
    expect(await told(named, "main..")).toEqual([released("trunk")]);
    for (const odd of ["main", "main...work", "other..work", "main..other"])
      expect(await told(named, odd)).toEqual([`no: ${ALONE}`]);
  });
});
