import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compose } from "../../../compose/compose.ts";
import type { Terminal } from "../verb.ts";
import { installVerb } from "./install.ts";

const cwd = mkdtempSync(join(tmpdir(), "holdpoint-ask-"));
afterAll(() => rmSync(cwd, { recursive: true }));

/** A person who says that, and what they were shown. */
async function asked(
  words: string,
  interactive = true,
): Promise<{ ready: unknown; shown: string }> {
  const composed = await compose({ cwd, readOnly: true });
  if (composed.kind === "failed") throw new Error(composed.message);
  const shown: string[] = [];
  const terminal: Terminal = {
    interactive,
    json: false,
    readInput: async () => "",
    ask: async () => words,
    note: () => undefined,
    print: (line) => void shown.push(line),
    screen: () => {
      throw new Error("no page is drawn here");
    },
    interrupted: () => false,
    pause: async () => undefined,
  };
  const caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
  const context = { parts: composed.parts, caller };
  const ready = await installVerb.prepare?.(
    { context, flags: {}, terminal, phrase: (answer) => answer },
    { client: "claude", protocol: "team-contract", user: true },
  );
  return { ready, shown: shown.join("\n") };
}

describe("install on a terminal", () => {
  test("shows what would change, then asks, and takes nothing but yes for a yes", async () => {
    const { ready, shown } = await asked(" Yes ");
    expect(ready).toMatchObject({ client: "claude", yes: true });
    expect(shown).toContain("spec-agent.md");
    expect(shown).toContain("onFailure");
    for (const words of ["", "n", "yep", "why?", "y e s"])
      expect((await asked(words)).ready).toMatchObject({ refusals: [{ code: "not-confirmed" }] });
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  test("asks nobody where nobody sits", async () => {
    expect(await asked("y", false)).toMatchObject({ ready: { client: "claude" }, shown: "" });
  });
});
