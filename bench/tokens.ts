/**
 * `npm run bench:tokens`: what an orchestrating model reads and writes because of Holdpoint, for whole workflows, by a
 * real tokenizer: the definitions of the tools, its calls, what they answer, and the last words of its subagents. Its
 * own work, such as writing a plan, is not counted. A call that fails, or a story that does not end where it should,
 * gives no figure and ends with 1.
 */
import { playDirectly } from "../test/clients/direct.ts";
import type { Spent } from "../test/clients/direct.ts";
import { complexPlugin, simplePlugin } from "../test/clients/stories/plugin.ts";
import type { Story } from "../test/clients/stories/story.ts";
import { highTask } from "../test/clients/stories/task.ts";
import { fullSession, leanSession } from "../test/clients/stories/team.ts";
import { sweep } from "../test/e2e/cli.ts";
import { tokensOf } from "../test/e2e/mcp.ts";

const TOKENS_MAX = 1_500;
/** What the prose protocols cost, and what their authors aimed at. */
const SOURCES = "57,500 by prose, 5,000 aimed at";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shows = process.argv.includes("--show");
const wrong: string[] = [];
say(`tokens of an orchestrator for a whole workflow (${SOURCES}; limit ${TOKENS_MAX})`);
for (const make of [simplePlugin, complexPlugin, fullSession, leanSession, highTask]) {
  const story = make();
  try {
    const spent = await spentOn(story);
    const over = spent.tokens > TOKENS_MAX;
    say(
      `  ${over ? "OVER" : "ok  "} ${story.name}: ${spent.tokens}, of them ${spent.definitions} for definitions`,
    );
    if (shows) for (const line of spent.log) say(`       ${line.replaceAll("\n", "\n       ")}`);
    if (over) wrong.push(`${story.name}: ${spent.tokens}`);
  } catch (error) {
    wrong.push(`${story.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await sweep();
for (const line of wrong) say(`wrong: ${line}`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** A figure counts only where the files and the journal say that the work was done. */
async function spentOn(story: Story): Promise<Spent> {
  const spent = await playDirectly(story, tokensOf);
  const { exit, stdout } = story.scratch.hold(["verify", "--all"]);
  if (!story.isOver() || exit !== 0) throw new Error(`it did not come to its end: ${stdout}`);
  return spent;
}
