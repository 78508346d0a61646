import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  adding,
  CODE,
  done,
  dyingEverywhere,
  forest,
  refusal,
  removing,
} from "../../../../test/conformance/worktrees.ts";

describe("a crash before every step", () => {
  test("[TP-029] adding again comes to the same end, also after the base has moved", async () => {
    const one = forest();
    let round = 0;
    const plan = () => adding({ path: `w/${round}/code`, branch: `t-${round}` });
    const steps = await dyingEverywhere(
      async (onStep) => {
        round += 1;
        done(await one.open2({ onStep }).worktrees.add(plan()));
      },
      async () => {
        one.commit(".", "moved.txt", String(round));
        done(await one.worktrees.add(plan()));
        const made = (await one.worktrees.list()).find(({ branch }) => branch === `t-${round}`);
        expect(made).toMatchObject({ path: `w/${round}/code`, locked: "holdpoint: task" });
      },
    );
    expect(steps).toEqual(["worktree.branch", "worktree.add", "worktree.lock"]);
  });

  test("[TP-196] [TP-200] removing again comes to the same end, and saves once", async () => {
    const one = forest();
    let round = 0;
    const names = () => ({ branch: `t-${round}`, name: `n-${round}` });
    const steps = await dyingEverywhere(
      async (onStep) => {
        round += 1;
        done(await one.worktrees.add(adding(names())));
        const work = one.commit(CODE, "a.txt", String(round));
        one.write(`${CODE}/new.txt`, work);
        done(await one.open2({ onStep }).worktrees.remove(removing(names())));
      },
      async (step) => {
        done(await one.worktrees.remove(removing(names())));
        expect(existsSync(join(one.top, CODE)), step).toBe(false);
        expect(readdirSync(dirname(join(one.top, CODE)))).toEqual([]);
        expect(await one.worktrees.list()).toHaveLength(1);
        expect(one.git("branch", "--list", "t-*")).toBe("");
        const refs = one.salvaged().filter((ref) => ref.includes(`/n-${round}/`));
        expect(refs, step).toHaveLength(1);
        const [head, file] = [
          one.git("rev-parse", `${refs[0] ?? ""}^`),
          one.git("show", `${refs[0] ?? ""}:new.txt`),
        ];
        expect(file).toBe(head);
      },
    );
    expect(steps).toEqual([
      "worktree.save",
      "salvage.ref",
      "worktree.aside",
      "worktree.save-again",
      "worktree.unlock",
      "worktree.remove",
      "worktree.delete",
      "worktree.branch-delete",
    ]);
  }, 90_000);

  test("what is written while it is being taken away is saved beside the rest", async () => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    const onStep = (step: string): void => {
      if (step === "worktree.aside") one.write(`${CODE}/late.txt`, "late");
    };
    const { saved } = done(await one.open2({ onStep }).worktrees.remove(removing()));
    expect(saved.map((ref) => one.git("show", `${ref}:late.txt`))).toEqual(["late"]);
  });
});

describe("many at once", () => {
  test("eight adds and eight removes in one repository all succeed, and nothing is lost", async () => {
    const one = forest();
    const eight = Array.from({ length: 8 }, (_, index) => `n-${index}`);
    const at = (name: string) => ({ path: `w/${name}/code`, branch: name });
    await Promise.all(
      eight.map(async (name) => done(await one.open2().worktrees.add(adding(at(name))))),
    );
    expect(await one.worktrees.list()).toHaveLength(9);
    for (const name of eight) one.write(`w/${name}/code/x.txt`, name);
    await Promise.all(
      eight.flatMap((name) => [
        one
          .open2()
          .worktrees.remove(removing({ ...at(name), name }))
          .then(done),
        one
          .open2()
          .worktrees.add(adding(at(`m${name}`)))
          .then(done),
      ]),
    );
    const left = new Set((await one.worktrees.list()).map(({ branch }) => branch));
    expect(left).toEqual(new Set(["main", ...eight.map((name) => `m${name}`)]));
    const texts = one.salvaged().map((ref) => one.git("show", `${ref}:x.txt`));
    expect(texts).toEqual(eight);
    expect(one.git("fsck", "--connectivity-only", "--no-dangling")).toBe("");
  }, 90_000);

  test(
    "eight that want one name: all find the same worktree, unless another place has it",
    { repeats: 4, timeout: 60_000 },
    async () => {
      const one = forest();
      const same = Array.from({ length: 4 }, () => one.open2().worktrees.add(adding()));
      const others = Array.from({ length: 4 }, (_, index) =>
        one.open2().worktrees.add(adding({ path: `other/${index}` })),
      );
      const answers = await Promise.all([...same, ...others]);
      const made = await one.worktrees.list();
      expect(made).toHaveLength(2);
      const place = made[1]?.path;
      const paths = answers.map((_, index) => (index < 4 ? CODE : `other/${index - 4}`));
      const lost = answers.filter((_, index) => paths[index] !== place);
      for (const answer of answers.filter((one) => !lost.includes(one))) done(answer);
      const codes = new Set(
        lost.map((answer) => refusal(answer).code.replace("checked-out", "taken")),
      );
      expect([...codes]).toEqual(["branch-taken"]);
    },
  );
});
