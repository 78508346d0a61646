/**
 * `npm run bench:tokens`: what an orchestrating model reads and writes because of Holdpoint, for whole workflows, by a
 * real tokenizer: the definitions of the tools, its calls, what they answer, and the last words of its subagents. Its
 * own work, such as writing a plan, is not counted. `--client NAME` counts the requests of a real client, with whatever
 * else it puts into them because of Holdpoint; `--client all` those of each, and names the worst. A call that fails, or a
 * story that does not end where it should, gives no figure and ends with 1.
 */
import { CLIENTS } from "../src/watch/call.ts";
import type { Client } from "../src/watch/call.ts";
import { playDirectly } from "../test/clients/direct.ts";
import { openLab } from "../test/clients/lab.ts";
import { playAndCount } from "../test/clients/spent.ts";
import { complexPlugin, simplePlugin } from "../test/clients/stories/plugin.ts";
import type { Story } from "../test/clients/stories/story.ts";
import { highTask } from "../test/clients/stories/task.ts";
import { fullSession, leanSession } from "../test/clients/stories/team.ts";
import { sweep } from "../test/e2e/cli.ts";
import { tokensOf } from "../test/e2e/mcp.ts";

const TOKENS_MAX = 1_500;
/** What the prose protocols cost, and what their authors aimed at. */
const SOURCES = "57,500 by prose, 5,000 aimed at";

const STORIES: readonly (readonly [() => Story, string])[] = [
  [simplePlugin, "plugin-workflow"],
  [complexPlugin, "plugin-workflow"],
  [fullSession, "team-contract"],
  [leanSession, "team-contract"],
  [highTask, "task-protocol"],
];

interface Figure {
  readonly tokens: number;
  readonly parts: string;
  readonly log: readonly string[];
}

type Measure = (story: Story, protocol: string) => Promise<Figure>;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shows = process.argv.includes("--show");
const wrong: string[] = [];
const worst = new Map<string, readonly [client: string, tokens: number]>();
say(`tokens of an orchestrator for a whole workflow (${SOURCES}; limit ${TOKENS_MAX})`);
for (const client of chosen()) await measureAll(client);
if (worst.size > 0 && chosen().length > 1)
  for (const [story, [client, tokens]] of worst) say(`  worst: ${story}: ${client}, ${tokens}`);
await sweep();
for (const line of wrong) say(`wrong: ${line}`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Clients to count with; none for the server alone. */
function chosen(): readonly (Client | undefined)[] {
  const at = process.argv.indexOf("--client");
  if (at < 0) return [undefined];
  const name = process.argv[at + 1];
  const found = CLIENTS.filter((one) => name === "all" || one === name);
  if (found.length === 0) throw new Error(`--client is all or one of: ${CLIENTS.join(", ")}`);
  return found;
}

async function measureAll(client: Client | undefined): Promise<void> {
  const lab = client === undefined ? undefined : await openLab(client);
  const measure: Measure =
    lab === undefined
      ? async (story) => {
          const { definitions, ...spent } = await playDirectly(story, tokensOf);
          return { ...spent, parts: `${definitions} for definitions` };
        }
      : async (story, protocol) => {
          const spent = await playAndCount({ lab, story, protocol }, tokensOf);
          const { standing, calls, around } = spent;
          const parts = `${standing} before the first of ${calls} calls; ${around} more are its own words about subagents`;
          return { ...spent, parts };
        };
  for (const [make, protocol] of STORIES) {
    const story = make();
    const name = `${client === undefined ? "" : `${client}, `}${story.name}`;
    try {
      const figure = await measure(story, protocol);
      const { exit, stdout } = story.scratch.hold(["verify", "--all"]);
      // A figure counts only where the files and the journal say that the work was done.
      if (!story.isOver() || exit !== 0) throw new Error(`it did not come to its end: ${stdout}`);
      tell(name, figure);
      const [, most = 0] = worst.get(story.name) ?? [];
      if (figure.tokens > most) worst.set(story.name, [client ?? "", figure.tokens]);
    } catch (error) {
      wrong.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  await lab?.close();
}

function tell(name: string, { tokens, parts, log }: Figure): void {
  const over = tokens > TOKENS_MAX;
  say(`  ${over ? "OVER" : "ok  "} ${name}: ${tokens}, of them ${parts}`);
  if (shows) for (const line of log) say(`       ${line.replaceAll("\n", "\n       ")}`);
  if (over) wrong.push(`${name}: ${tokens}`);
}
