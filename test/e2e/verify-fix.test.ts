/** What `verify` mends by itself, and what it leaves to a person. */
import { describe, expect, test } from "vitest";
import type { Reply, Scratch } from "./cli.ts";
import { NAME, handoffOf, pluginAt } from "./plugin.ts";

interface Judged {
  readonly mended?: readonly string[];
  readonly workflows?: readonly { readonly mends?: readonly { readonly file: string }[] }[];
}

const told = ({ json }: Reply): Judged => json as Judged;

function mends(scratch: Scratch, words: string): readonly string[] {
  const [first] = told(scratch.hold(words)).workflows ?? [];
  return (first?.mends ?? []).map(({ file }) => file);
}

describe("verify --fix", () => {
  test("brings back a file that is gone, and shows it first", () => {
    const scratch = pluginAt("s2");
    const text = scratch.read(handoffOf());
    scratch.remove(handoffOf());
    expect(mends(scratch, `verify ${NAME}`)).toEqual([handoffOf()]);
    const seen = scratch.say(`verify ${NAME}`).stdout;
    expect(seen).toContain(`  + ${handoffOf()}`);
    expect(seen).toContain(`holdpoint verify ${NAME} --fix --dry-run`);
    expect(scratch.say(`verify ${NAME} --fix --dry-run`).stdout).toContain("+plugin: TapeDelay");
    expect(scratch.has(handoffOf())).toBe(false);
    const done = scratch.hold(`verify ${NAME} --fix`);
    expect(done.exit, done.stdout).toBe(0);
    expect(told(done).mended).toEqual([NAME]);
    expect(scratch.read(handoffOf())).toBe(text);
  });

  test("adds lines that are missing, and keeps what people added", () => {
    const scratch = pluginAt("s2");
    scratch.edit("PLUGINS.md", (text) =>
      text.replace(/^\| TapeDelay .*\n/m, "").replace(/$/, "\nMy own words.\n"),
    );
    const done = scratch.hold("verify --all --fix");
    expect(done.exit, done.stdout).toBe(0);
    expect(scratch.read("PLUGINS.md")).toMatch(/^\| TapeDelay /m);
    expect(scratch.read("PLUGINS.md")).toContain("My own words.");
  });

  test("leaves alone what somebody may have meant", () => {
    const scratch = pluginAt("s2");
    scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 4"));
    const text = scratch.read(handoffOf());
    expect(mends(scratch, `verify ${NAME}`)).toEqual([]);
    const done = scratch.hold(`verify ${NAME} --fix`);
    expect(done.exit).not.toBe(0);
    expect(told(done).mended).toEqual([]);
    expect(scratch.read(handoffOf())).toBe(text);
  });

  test("is asked for", () => {
    const scratch = pluginAt("s2");
    expect(scratch.hold("verify --all --dry-run").exit).toBe(2);
    scratch.remove(handoffOf());
    scratch.hold("verify --all");
    expect(scratch.has(handoffOf())).toBe(false);
  });
});
