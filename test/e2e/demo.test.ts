/** The README's first command, `npm start`, as its reader runs it. */
import { expect, test } from "vitest";
import { bareDirectory, scratchDirectory } from "./cli.ts";

test("the demo plays to its end, and catches each agent for what it did", () => {
  const played = bareDirectory().say("demo", { env: { TMPDIR: scratchDirectory() } });
  expect(played.exit, played.stdout).toBe(0);
  for (const reason of [
    /Only a person may answer "Research & planning complete"/,
    /The agent says it wrote the state, but:/,
    /names files that do not exist/,
    /plan\.md changed since it was sealed/,
    /3\.2 +todo +dsp-agent is at work \(W-\d+\)/,
    /Working → Installed/,
  ])
    expect(played.stdout).toMatch(reason);
  expect(played.stdout).not.toContain("no readable report");
});
