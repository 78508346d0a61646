/** What brings files back to their journal without any judgement: what is gone, and lines that are missing. */
import { describe, expect, test } from "vitest";
import { written } from "../../../test/press.ts";
import type { Press } from "../../../test/press.ts";
import { mendable } from "./mend.ts";

const STATE = "x.state.md";

async function files(it: Press): Promise<readonly string[]> {
  return (await mendable(it.parts, await it.found())).map(({ file }) => file);
}

function without(text: string, line: RegExp): string {
  return text
    .split("\n")
    .filter((one) => !line.test(one))
    .join("\n");
}

describe("a state file", () => {
  test("that says what the journal says is left alone", async () => {
    const it = await written();
    expect(await mendable(it.parts, await it.found())).toEqual([]);
  });

  test("that is gone is written anew, and the others are left", async () => {
    const it = await written();
    const before = it.text(STATE);
    it.files.delete(STATE);
    expect(await mendable(it.parts, await it.found())).toEqual([
      { file: STATE, before: null, after: before },
    ]);
    it.files.delete("NEWS.md");
    expect(await files(it)).toEqual([STATE, "NEWS.md"]);
  });

  test("gets back the lines that it has lost, and loses none", async () => {
    const it = await written();
    const whole = it.text(STATE);
    const cut = without(whole, /^- State:/);
    expect(cut).not.toBe(whole);
    it.files.set(STATE, cut);
    expect(await mendable(it.parts, await it.found())).toEqual([
      { file: STATE, before: cut, after: whole },
    ]);
    it.files.set(STATE, `Mine\n${cut}Mine\n`);
    expect(await files(it)).toEqual([STATE]);
  });

  test("that says something else is for a person, and then all of them are", async () => {
    const it = await written();
    it.files.set(STATE, it.text(STATE).replace("State: written", "State: printed"));
    expect(await files(it)).toEqual([]);
    it.files.delete("NEWS.md");
    expect(await files(it)).toEqual([]);
    it.files.set(STATE, it.text(STATE).replace("State: printed", "State: written"));
    expect(await files(it)).toEqual(["NEWS.md"]);
    it.files.set(
      STATE,
      it.text(STATE).replace("- State: written", "- State: written\n- State: written"),
    );
    expect(await files(it)).toEqual([]);
  });

  test("that cannot be read is nobody's to mend, and neither is one of nothing", async () => {
    const it = await written();
    it.files.set(STATE, {
      kind: "unreadable",
      code: "EIO",
      message: "odd",
      fix: "Mend it.",
    } as never);
    it.files.delete("NEWS.md");
    expect(await files(it)).toEqual([]);
    const { family, state } = await it.found();
    it.files.delete(STATE);
    expect(await mendable(it.parts, { family, state: { ...state, units: {} } })).toEqual([]);
  });
});
