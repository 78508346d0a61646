/** Journals and snapshots that somebody wrote with correct hashes, to have the fence or a gate believe them. */
import { describe, expect, test } from "vitest";
import { object, objects, text } from "../../../src/core/values/json-read.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { evilCommit, expectStopped, fenced, install, problemsOf, tryGit } from "../fence.ts";
import type { Scratch } from "../cli.ts";
import { forgedSavepoint, forgerOf } from "../forged.ts";
import { codesOf, NAME } from "../plugin.ts";
import { ADA, isHeld, releasesIn, signedPlugin } from "../release.ts";

const UNKNOWN = /Which branches are protected is not known, so none of them moves/;

function moveMain(scratch: Scratch): ReturnType<typeof tryGit> {
  return tryGit(scratch, ["update-ref", "refs/heads/main", evilCommit(scratch)]);
}

/** Changes the state that a snapshot says its records come to. */
function changeState(
  scratch: Scratch,
  stream: string,
  change: (state: JsonObject) => JsonObject,
): void {
  forgerOf(scratch, stream).changeSnapshot((one) => ({
    ...one,
    state: change(object(one["state"] ?? null)),
  }));
}

describe("the fence does not believe", () => {
  test.each<[string, (fence: JsonObject) => JsonObject | null]>([
    ["protects nothing", () => null],
    ["protects another branch", (fence) => ({ ...fence, refs: { "refs/heads/other": "" } })],
  ])("a snapshot by which it %s", (_, change) => {
    const scratch = fenced();
    changeState(scratch, "repository", (state) => {
      const vars = object(state["vars"] ?? null);
      return { ...state, vars: { ...vars, fence: change(object(vars["fence"] ?? null)) } };
    });
    expectStopped(scratch, () => moveMain(scratch), UNKNOWN);
    expect(problemsOf(scratch)).toContain("fence-journal");
    forgerOf(scratch).forget("snapshots");
    expect(problemsOf(scratch)).toEqual([]);
    expectStopped(scratch, () => moveMain(scratch));
  });

  test("a line of a person without the signature that was agreed on, by which it protects another branch", () => {
    const { scratch, ada } = signedPlugin();
    install(scratch, "--sign", "--key", ada);
    const forger = forgerOf(scratch, "repository");
    const put = forger.records().findLast((one) => JSON.stringify(one).includes('"fence"'));
    const body = object(put?.["body"] ?? null);
    const fence = {
      refs: { "refs/heads/other": "" },
      since: "",
      hook: { directory: "", files: {} },
    };
    const events = [{ type: "vars.changed", vars: { fence } }];
    forger.append({ ...body, actor: `person:${ADA}`, events });
    expectStopped(scratch, () => moveMain(scratch), UNKNOWN);
    expect(problemsOf(scratch)).toContain("fence-journal");
  });
});

/** Which session and process a record says that its effect belongs to. */
function wantedBy({ body }: JsonObject): JsonObject | undefined {
  const events = objects(object(body ?? null)["events"] ?? null);
  const wanted = events.find((one) => one["type"] === "effect.wanted");
  return wanted && object(wanted["by"] ?? null);
}

describe("a gate does not believe", () => {
  test("a line that wants a commit, found when the next command settles what is left", () => {
    const { scratch } = signedPlugin();
    const before = scratch.git("rev-parse", "main");
    forgedSavepoint(scratch, `plugin-workflow:${NAME}`);
    const forger = forgerOf(scratch, "plugin");
    // As if the process of an earlier commit had died before this one.
    const [honest = {}] = forger.records().filter((one) => wantedBy(one) !== undefined);
    const by = wantedBy(honest) ?? {};
    forger.rewrite(forger.records().length, (one) => ({
      ...one,
      body: JSON.parse(
        JSON.stringify(one["body"]).replace(/"by":\{[^}]*\}/, `"by":${JSON.stringify(by)}`),
      ),
    }));
    const env = { HOLDPOINT_SESSION: text(by["session"]) };
    const told = scratch.hold(["reconcile", NAME], { env });
    expect(told.stdout + told.stderr).toContain("vouches for nothing");
    expect(scratch.git("rev-parse", "main")).toBe(before);
  });

  test("a snapshot by which one of two people has released already", () => {
    const { scratch, ada, bob } = signedPlugin({ people: 2 });
    const signs = (key: string): ReturnType<Scratch["hold"]> =>
      scratch.hold(["answer", NAME, "1", "--sign", "--key", key]);
    expect(signs(ada).json.ok).toBe(true);
    const [release] = releasesIn(scratch);
    changeState(scratch, "plugin", (state) => {
      const [[, own] = []] = Object.entries(object(state["given"] ?? null));
      const forged = { ...object(own ?? null), by: "person:eve", key: "SHA256:e", names: [] };
      return { ...state, given: { forged } };
    });
    expect(release).toBeDefined();
    expect(codesOf(signs(ada))).toEqual(["journal-distrusted"]);
    expect(isHeld(scratch)).toBe(true);
    forgerOf(scratch).forget("snapshots");
    expect(signs(bob).json.ok).toBe(true);
    expect(isHeld(scratch)).toBe(false);
  });
});
