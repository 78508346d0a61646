/** Merges that claim to be made for a record: Holdpoint names none in a merge. */
import { describe, expect, test } from "vitest";
import { text } from "../../../src/core/values/json-read.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, expectStopped, fenced, tryGit } from "../fence.ts";
import { forgerOf } from "../forged.ts";
import { NAME } from "../plugin.ts";

/** A merge into main of something that nobody released, with these trailers. */
function merge(scratch: Scratch, ...trailers: readonly string[]): string {
  const side = evilCommit(scratch);
  const message = ["Merge the work", "", ...trailers].join("\n");
  const tree = `${side}^{tree}`;
  return scratch.git("commit-tree", tree, "-p", "main", "-p", side, "-m", message);
}

const JOURNAL = `Holdpoint-Journal: plugin-workflow%3A${NAME} 2026-01-01T00:00:00.000Z 3`;
const ABSENT = `Holdpoint-Record: ${"ab".repeat(32)}`;

function badOf(scratch: Scratch): string {
  return JSON.stringify(Reflect.get(scratch.hold("audit --chain").json, "bad"));
}

describe("a merge that names a record which no journal has", () => {
  test.each<[string, readonly string[]]>([
    ["with its journal", [JOURNAL, ABSENT]],
    ["alone", [ABSENT]],
    ["twice", [JOURNAL, ABSENT, ABSENT]],
    ["of a journal that is not there", [`Holdpoint-Journal: plugin-workflow%3ANone x 1`, ABSENT]],
  ])("%s: is named by the audit, refused by the check, and let by for nobody", (_, trailers) => {
    const scratch = fenced();
    const commit = merge(scratch, ...trailers);
    scratch.git("update-ref", "refs/heads/side", commit);
    expect(badOf(scratch)).toContain("record-absent");
    expect(badOf(scratch)).toContain(commit.slice(0, 12));
    const checked = scratch.hold(["fence", "check", `main..${commit}`]);
    expect(checked.json.ok).toBe(false);
    expect(checked.stdout).toContain("names record abababababab");
    scratch.hold(["fence", "open", "main", commit, "--reason", "x"]);
    const move = ["update-ref", "refs/heads/main", commit];
    expectStopped(scratch, () => tryGit(scratch, move), /names record abababababab/);
  });

  test("is no other merge: a person opens the fence for one that claims nothing, or a record that is there", () => {
    const scratch = fenced();
    const { hash } = forgerOf(scratch, "plugin").records().at(-1) ?? {};
    for (const trailers of [[], [JOURNAL, `Holdpoint-Record: ${text(hash)}`]]) {
      const commit = merge(scratch, ...trailers);
      scratch.hold(["fence", "open", "main", commit, "--reason", "x"]);
      expect(tryGit(scratch, ["update-ref", "refs/heads/main", commit])).toMatchObject({ exit: 0 });
    }
    expect(badOf(scratch)).not.toContain("record-absent");
  });
});
