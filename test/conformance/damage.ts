/**
 * What every store that outlives its process promises about changed, missing and foreign records: each is named, and what
 * stands before it stays readable. `rewrite` is whoever may change anything: an editor on the files, an administrator of
 * the database.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Journal } from "../../src/ports/journal.ts";
import { encodeLine } from "../../src/adapters/store/embedded/line.ts";
import { LATER, appendMany, entry, ids } from "./journal.ts";
import type { Harness, Tally } from "./journal.ts";

export interface DamageHarness extends Harness {
  /** The lines of the records as they are kept, oldest first. */
  readonly lines: (stream: string) => Promise<readonly string[]>;
  readonly rewrite: (stream: string, lines: readonly string[]) => Promise<void>;
  /** A handle that has no memory of what was there before. */
  readonly openAnew: () => Promise<Journal<Tally>>;
}

const COUNT = 6;

export function describeDamage(name: string, factory: () => Promise<DamageHarness>): void {
  describe(`${name}: damage`, () => {
    let harness: DamageHarness;
    let journal: Journal<Tally>;
    beforeEach(async () => {
      harness = await factory();
      journal = await harness.open();
      await appendMany(journal, "w", ids("a", COUNT));
    });
    afterEach(async () => {
      await journal.close();
      await harness.remove();
    });

    /** Whoever never saw it whole: up to where it reads, that it is named, and that nothing is written behind it. */
    const expectReadable = async (seq: number): Promise<void> => {
      const anew = await harness.openAnew();
      const report = await anew.verify("w");
      expect(report).toMatchObject({ records: seq });
      expect(report.damage?.message).toBeTruthy();
      const { head, state, damage } = await anew.load("w");
      expect(head.seq).toBe(seq);
      expect(state.count).toBe(seq);
      expect(damage).toBeDefined();
      expect((await anew.read("w")).map((record) => record.seq)).toEqual(ids("", seq).map(Number));
      expect(await anew.append("w", head, entry("new"))).toMatchObject({ code: "damaged" });
      await anew.close();
    };

    test("[S5] one changed character in any record but the last is named, and what is before it reads", async () => {
      const lines = await harness.lines("w");
      expect(lines).toHaveLength(COUNT);
      for (const [at, line] of lines.slice(0, -1).entries()) {
        const place = Math.floor(line.length / 2) + at;
        const changed =
          line.slice(0, place) + (line[place] === "0" ? "1" : "0") + line.slice(place + 1);
        await harness.rewrite("w", lines.with(at, changed));
        await expectReadable(at);
        expect((await journal.verify("w")).damage).toBeDefined();
      }
      await harness.rewrite("w", lines);
      expect((await journal.verify("w")).damage).toBeUndefined();
    });

    test("[S5] a record of a type that no fold knows is named, whole as its line is", async () => {
      const lines = await harness.lines("w");
      const { head } = await journal.load("w");
      const later = { ...entry("later"), body: { type: LATER } };
      const one = encodeLine(head, later);
      const two = encodeLine(one.record, entry("behind it"));
      const added = [one, two].map(({ bytes }) => bytes.toString("utf8").trim());
      await harness.rewrite("w", [...lines, ...added]);
      await expectReadable(COUNT);
      const damage = { code: "journal-event", message: expect.stringContaining(LATER) };
      const report = await journal.verify("w");
      expect(report).toMatchObject({ records: COUNT, head, damage });
      expect(await journal.load("w")).toMatchObject({ head, damage });
      expect(await journal.read("w", COUNT - 1)).toHaveLength(1);
    });

    /** Whoever has seen it whole comes back later. */
    const rewriteBehind = async (lines: readonly string[]): Promise<void> => {
      await journal.close();
      await harness.rewrite("w", lines);
      journal = await harness.open();
    };

    test("[S5] a changed last record is named by whoever has seen it", async () => {
      const lines = await harness.lines("w");
      await rewriteBehind(lines.with(COUNT - 1, (lines.at(-1) ?? "").replace("a6", "b6")));
      const { head, damage } = await journal.load("w");
      expect(damage).toBeDefined();
      expect(await journal.append("w", head, entry("new"))).toMatchObject({ code: "damaged" });
      expect((await journal.verify("w")).damage).toBeDefined();
    });

    test("[S5] records that are gone from the end are named by whoever has seen them", async () => {
      const lines = await harness.lines("w");
      await rewriteBehind(lines.slice(0, -2));
      expect((await journal.load("w")).damage).toMatchObject({ code: "journal-truncated" });
      expect((await journal.verify("w")).damage).toMatchObject({ code: "journal-truncated" });
    });

    test("[S5] a record that is gone from the middle is named", async () => {
      const lines = await harness.lines("w");
      await harness.rewrite("w", lines.toSpliced(2, 1));
      await expectReadable(2);
    });

    test("[S5] a record of another stream is none of this one", async () => {
      await appendMany(journal, "other", ids("o", COUNT));
      const lines = await harness.lines("w");
      const foreign = (await harness.lines("other"))[3] ?? "";
      await harness.rewrite("w", lines.with(3, foreign));
      await expectReadable(3);
    });

    test("[S5] a history that was replaced whole is named by whoever has seen the first one", async () => {
      await appendMany(journal, "other", ids("o", COUNT));
      await rewriteBehind(await harness.lines("other"));
      expect((await journal.load("w")).damage).toBeDefined();
      expect((await journal.verify("w")).damage).toBeDefined();
    });
  });
}
