/**
 * What an orchestrating model reads and writes because of Holdpoint, from the requests that its client sent: whatever
 * stands in the first one and not in that of a client without Holdpoint, its calls of our tools, what they answered, the
 * starts and the last words of subagents, and whatever a hook put in. Its own work is not counted, nor what the client
 * itself says about subagents; that is told apart.
 */
import type { Lab } from "./lab.ts";
import { entriesOf, textsIn } from "./model/talk.ts";
import { conversationOf } from "./model/request.ts";
import type { Asked } from "./model/server.ts";
import { playWithClient } from "./play.ts";
import type { Room } from "./adapters.ts";
import type { Story } from "./stories/story.ts";

export interface ClientSpent {
  readonly tokens: number;
  /** What is there before anything is done: tools, instructions, lists of agents, what a hook tells at the start. */
  readonly standing: number;
  readonly calls: number;
  /** What the client itself says about subagents, which is not counted. */
  readonly around: number;
  readonly log: readonly string[];
}

type Count = (text: string) => number;

interface Played {
  readonly lab: Lab;
  readonly story: Story;
  /** The one that is installed. */
  readonly protocol: string;
}

export async function playAndCount(
  { lab, story, protocol }: Played,
  tokensOf: Count,
): Promise<ClientSpent> {
  const bare = await firstWithout(lab, story);
  const room = lab.move(story.scratch, { protocol });
  const { exit, stderr } = await playWithClient(lab, room, story);
  const asked = lab.model.asked().filter(({ script }) => script === "main");
  const [first] = asked;
  const whole = asked.at(-1);
  if (exit !== 0 || first === undefined || whole === undefined || lab.model.missing().length > 0)
    throw new Error(`exit ${exit}; ${lab.model.missing().join("; ")} ${stderr.slice(-500)}`);
  return counted({ bare, first, whole, lastWords: lab.model.lastWords, room }, tokensOf);
}

/** The same client, prompt and repository, before Holdpoint comes. */
async function firstWithout(lab: Lab, { scratch }: Story): Promise<Asked> {
  const room = lab.moveBare(scratch);
  await lab.play(room, { main: [{ say: "Nothing." }] });
  const [first] = lab.model.asked().filter(({ script }) => script === "main");
  if (first === undefined) throw new Error("the client without Holdpoint asked nothing");
  return first;
}

interface Heard {
  readonly bare: Asked;
  readonly first: Asked;
  readonly whole: Asked;
  readonly lastWords: (script: string) => string | undefined;
  readonly room: Room;
}

function counted({ bare, first, whole, lastWords, room }: Heard, tokensOf: Count): ClientSpent {
  const log: string[] = [];
  let [tokens, around, calls] = [0, 0, 0];
  const spend = (what: string, text: string): void => {
    const count = tokensOf(text);
    tokens += count;
    if (count > 0) log.push(`${count} ${what} ${text}`);
  };
  for (const line of added(bare, first, room)) spend("standing:", line);
  const standing = tokens;
  const agents = new Map<string, string>();
  const ours = new Set<string>();
  const entries = entriesOf(whole.dialect, whole.body).slice(
    entriesOf(first.dialect, first.body).length,
  );
  for (const entry of entries) {
    if (entry.kind === "call" && OURS.test(`${entry.name} ${entry.text}`)) {
      ours.add(entry.id);
      calls += 1;
      spend("writes:", `${entry.name} ${entry.text}`);
    } else if (entry.kind === "call" && AGENT.test(entry.name)) {
      const [, dispatch = ""] = /\[\[script:([\w-]+)\]\]/.exec(entry.text) ?? [];
      agents.set(entry.id, dispatch);
      spend("starts:", `${entry.name} ${entry.text.replaceAll(/ ?\[\[script:[\w-]+\]\]/g, "")}`);
    } else if (entry.kind === "result" && ours.has(entry.id)) spend("reads:", entry.text);
    else if (entry.kind === "result" || entry.kind === "told") {
      const known = [...agents.values()].map((one) => lastWords(one) ?? "");
      const text = unescaped(entry.text);
      const words = known.find((one) => one !== "" && text.includes(one)) ?? "";
      spend("hears:", words);
      const rest = text.replace(words, "");
      const [hooked = ""] = /(?:Holdpoint: |HOLD )[^]*$/.exec(rest) ?? [];
      spend("told:", hooked);
      if (entry.kind === "told" || agents.has(entry.id))
        around += tokensOf(rest.replace(hooked, ""));
    }
  }
  return { tokens, standing, calls, around, log };
}

const AGENT = /^(?:collaboration\.?)?(?:Agent|task|spawn_agent|invoke_(?:sub)?agent)$/;

/** A call of one of our tools, also in the code that calls it. */
const OURS = /^(?:mcp__?)?holdpoint[-_.]|tools\.mcp__holdpoint__/;

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Lines of texts and whole tools that are in a request and not in the other one. */
function added(bare: Asked, first: Asked, { top, home }: Room): readonly string[] {
  const plain = (text: string): string =>
    text
      .replaceAll(top, "<top>")
      .replaceAll(home, "<home>")
      .replaceAll(/\/tmp\/holdpoint-\w+-\w+\/home-\d+/g, "<home>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}/g, "<id>")
      // The commit by which it was installed is the test's own.
      .replaceAll(/^[0-9a-f]{7} Use Holdpoint in \w+$/gm, "")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)/g, "<time>");
  const toolsIn = ({ dialect, body }: Asked): readonly string[] =>
    conversationOf(dialect, body).tools.map(({ raw }) => JSON.stringify(raw));
  const linesIn = ({ body }: Asked): readonly string[] =>
    textsIn(withoutTools(body)).flatMap((text) => plain(text).split("\n"));
  const known = new Set([...linesIn(bare), ...toolsIn(bare).flatMap(linesOf).map(plain)]);
  const tools = toolsIn(first)
    .filter((one) => !toolsIn(bare).includes(one))
    .flatMap((one) => (nameOf(one).includes("holdpoint") ? [one] : linesOf(one).map(plain)));
  return [...tools, ...linesIn(first)].filter((line) => line.trim() !== "" && !known.has(line));
}

function nameOf(tool: string): string {
  return /"name":"([^"]+)"/.exec(tool)?.[1] ?? "";
}

function linesOf(tool: string): readonly string[] {
  return textsIn(JSON.parse(tool)).flatMap((text) => text.split("\n"));
}

/** Tools are looked at one by one; the others are for the service, not for the model. */
const NOT_READ: readonly string[] = ["tools", "metadata", "client_metadata", "prompt_cache_key"];

/** Codex carries tools among what is said. */
function withoutTools(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutTools);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !NOT_READ.includes(key))
      .map(([key, one]) => [key, withoutTools(one)]),
  );
}
