/**
 * Runs the hook exactly as it is written in the client's file, once on something it must stop and once on
 * something it must allow.
 */
import { pathToFileURL } from "node:url";
import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { readLooseJson } from "../../../files/json/loose.ts";
import { nodeAt, toJson } from "../../../files/json/source.ts";
import type { Client } from "../../../watch/call.ts";
import { hookFiles } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { readTarget } from "../disk.ts";
import { isOwnPlugin } from "../clients/opencode.ts";
import { CLIENT_SECONDS, closedHook, isHookCommand } from "../hook-command.ts";
import { installedHooks } from "../installed.ts";
import { programFor } from "../program.ts";
import { failed, proven } from "./check.ts";
import type { Check } from "./check.ts";
import { PAYLOADS, answerIn } from "./payloads.ts";
import { firstLine, runBounded } from "./run.ts";
import type { Ran } from "./run.ts";
import { plainEnv } from "./scene.ts";
import type { Scene } from "./scene.ts";
import { isAbsolute, join } from "node:path";
import { hereProgram } from "../here.ts";

const STOPS = "stops a held edit";
const ALLOWS = "lets reading pass";
const CLOSED = "stops what it cannot read";

type Where = Pick<Place, "root" | "home">;

export async function checkHooks(
  setup: ClientSetup,
  where: Where,
  user: boolean,
  scene: Scene,
): Promise<readonly Check[]> {
  const { client } = setup;
  const again = `holdpoint install ${client}${user ? " --user" : " --repository"}`;
  if (client === "opencode") return await checkPlugin(setup, where, user, scene);
  const files = hookFiles(setup, where, user);
  const [hook, second] = files.flatMap((file) => beforeTool(setup, file, where));
  const file = files.join(" and ");
  if (hook === undefined) {
    const said = `${file} has none of ours under ${setup.beforeTool}`;
    return [failed("hook before a tool", said, `Run ${again}.`)];
  }
  const strange = user ? undefined : strangeHook(client, hook, where);
  if (strange !== undefined)
    return [failed("hook before a tool", `${file}: ${strange}`, `Run ${again}.`)];
  const results = await fire(client, hook, where, scene);
  const twice =
    second === undefined
      ? []
      : [failed("hook before a tool", `${file} has it more than once`, `Run ${again}.`)];
  const mend = typeof hook["url"] === "string" ? `holdpoint install ${client} --server` : again;
  return [...twice, ...results.map((one) => withFix(one, `Or run ${mend}.`))];
}

/** A repository's file may come from anybody, so only commands that install would have written are run. */
function strangeHook(client: Client, hook: JsonObject, { root }: Where): string | undefined {
  if (typeof hook["url"] === "string") return undefined;
  const program = programFor({ client, user: false, root, ...hereProgram() });
  if (program === undefined) return "no program could be called by it: holdpoint is not on PATH";
  const command = showJson(hook["command"] ?? hook["bash"]);
  return command === closedHook(program.words, client)
    ? undefined
    : `this is not what install writes, so it was not run: ${firstLine(command)}`;
}

function withFix(check: Check, more: string): Check {
  return check.state === "failed" ? { ...check, fix: `${check.fix ?? ""} ${more}`.trim() } : check;
}

/** Our hooks under the client's name for the event before a tool, as they are in the file. */
function beforeTool(
  { client, beforeTool: event }: ClientSetup,
  path: string,
  { root: top }: Where,
): readonly JsonObject[] {
  const file = readTarget(path, top);
  const root = file.kind === "text" ? readLooseJson(file.text).root : undefined;
  const node = nodeAt(root, ["hooks", event]);
  return node === undefined ? [] : hooksIn(toJson(node), client);
}

/** Objects that themselves contain a command or address of ours. */
function hooksIn(value: Json, client: Client): readonly JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.values(value).some(
    (one) => typeof one === "string" && isHookCommand(one, client),
  );
  if (isJsonObject(value) && own) return [value];
  return Object.values(value).flatMap((one) => hooksIn(one, client));
}

async function fire(
  client: Exclude<Client, "opencode">,
  hook: JsonObject,
  { root }: Where,
  scene: Scene,
): Promise<readonly Check[]> {
  const { env, edit, read } = PAYLOADS[client];
  const { url, command = hook["bash"] } = hook;
  const ask = async (input: string): Promise<Ran> =>
    typeof url === "string"
      ? await post(url, hook["headers"], input)
      : await runBounded("sh", ["-c", showJson(command)], {
          cwd: scene.dir,
          env: { ...plainEnv(), ...env(root) },
          input,
          ms: (CLIENT_SECONDS + 2) * 1000,
        });
  const [held, plain, cut] = await Promise.all([
    ask(JSON.stringify(edit(scene.held, scene.dir))),
    ask(JSON.stringify(read(scene.plain, scene.dir))),
    ask(`{"cwd":${JSON.stringify(scene.dir)},"tool_name":`),
  ]);
  return typeof url === "string"
    ? [stopped(client, held), passed(client, plain)]
    : [stopped(client, held), passed(client, plain), refused(cut)];
}

/**
 * Calls a hook that is a request and converts the result to that of a command. Anything but a valid answer is a
 * failure.
 */
async function post(url: string, headers: Json | undefined, body: string): Promise<Ran> {
  const begun = performance.now();
  const sent = isJsonObject(headers) ? headers : {};
  const words = Object.entries(sent).map(([name, value]) => [name, showJson(value)] as const);
  const ended = (exit: number | undefined, stdout: string, stderr: string): Ran => ({
    exit,
    stdout,
    stderr,
    ms: Math.round(performance.now() - begun),
  });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...Object.fromEntries(words), "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(CLIENT_SECONDS * 1000),
    });
    const text = await response.text();
    if (!response.ok) return ended(1, "", `${url} answers ${response.status}: ${firstLine(text)}`);
    return ended(isNo(text) ? 2 : 0, text, isNo(text) ? firstLine(text) : "");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return ended(1, "", `${url}: ${why}; holdpoint mcp --http --background starts the server`);
  }
}

function isNo(text: string): boolean {
  const answer = answerIn(text);
  return answer !== undefined && PAYLOADS.claude.says(answer) === "deny";
}

const LOOK = "Run what the file names by hand: does it start?";

/** A no is given in three ways at once (exit code, JSON, words), because clients rely on different ones. */
function stopped(client: Exclude<Client, "opencode">, ran: Ran): Check {
  if (ran.exit === undefined) return failed(STOPS, "it gave no answer in the client's time", LOOK);
  if (ran.exit === 0) return failed(STOPS, "it let an edit of the journal pass", LOOK);
  if (ran.exit !== 2)
    return failed(STOPS, `it ended with ${ran.exit}: ${firstLine(ran.stderr)}`, LOOK);
  if (ran.stderr.trim() === "")
    return failed(STOPS, "it said no without a word on standard error", LOOK);
  const answer = answerIn(ran.stdout);
  if (answer === undefined || PAYLOADS[client].says(answer) !== "deny")
    return failed(
      STOPS,
      `what it printed is no answer: ${firstLine(ran.stdout || ran.stderr)}`,
      LOOK,
    );
  return proven(STOPS, `an edit of a journal was stopped (${ran.ms} ms): ${firstLine(ran.stderr)}`);
}

function passed(client: Exclude<Client, "opencode">, ran: Ran): Check {
  const answer = answerIn(ran.stdout);
  const said = answer === undefined ? undefined : PAYLOADS[client].says(answer);
  if (ran.exit === undefined) return failed(ALLOWS, "it gave no answer in the client's time", LOOK);
  if (ran.exit !== 0 || said === "deny")
    return failed(ALLOWS, `it stops reading too: ${firstLine(ran.stderr || ran.stdout)}`, LOOK);
  if (answer === undefined && ran.stdout.trim() !== "")
    return failed(ALLOWS, `what it printed is no answer: ${firstLine(ran.stdout)}`, LOOK);
  return proven(ALLOWS, `reading passed (${ran.ms} ms)`);
}

function refused(ran: Ran): Check {
  const isNo = ran.exit === 2 && ran.stderr.trim() !== "";
  return isNo
    ? proven(CLOSED, "half a payload was stopped")
    : failed(CLOSED, `half a payload ended with ${ran.exit ?? "no answer"}`, LOOK);
}

const ASK_PLUGIN = `
const [plugin, directory, held, plain] = process.argv.slice(1);
const [make] = Object.values(await import(plugin));
const hooks = await make({ directory });
const ask = async (tool, args) => {
  try {
    await hooks["tool.execute.before"]({ tool, sessionID: "doctor", callID: tool }, { args });
    return "";
  } catch (error) {
    return String(error?.message ?? error) || "no";
  }
};
const [stopped, passed] = [await ask("write", { filePath: held, content: "x" }), await ask("read", { filePath: plain })];
process.stdout.write(JSON.stringify({ stopped, passed }));
`;

/** OpenCode loads the plugin itself, and says nothing if that fails, so it is loaded here as a test. */
async function checkPlugin(
  setup: ClientSetup,
  where: Where,
  user: boolean,
  scene: Scene,
): Promise<readonly Check[]> {
  const [plugin = ""] = installedHooks(setup, where, user);
  const url = plugin.startsWith("file:")
    ? plugin
    : pathToFileURL(isAbsolute(plugin) ? plugin : join(where.root, plugin)).href;
  const again = `Run holdpoint install opencode${user ? " --user" : " --repository"}; is holdpoint on PATH?`;
  if (!user && !isOwnPlugin(where.root))
    return [failed(STOPS, `${url} is not what install writes, so it was not run`, again)];
  const ran = await runBounded(
    hereProgram().node,
    ["--input-type=module", "--eval", ASK_PLUGIN, url, scene.dir, scene.held, scene.plain],
    { cwd: scene.dir, env: plainEnv(), ms: (CLIENT_SECONDS + 2) * 2000 },
  );
  const answer = answerIn(ran.stdout);
  if (!isJsonObject(answer)) {
    const said = `${url} cannot be loaded: ${firstLine(ran.stderr)}; OpenCode then goes on without it`;
    return [failed(STOPS, said, again)];
  }
  const [stop, pass] = [showJson(answer["stopped"]), showJson(answer["passed"])];
  return [
    stop === ""
      ? failed(STOPS, "it let an edit of the journal pass", again)
      : /internal_error: the hook cannot be asked/.test(stop)
        ? failed(STOPS, firstLine(stop), again)
        : proven(STOPS, `an edit of a journal was stopped: ${firstLine(stop)}`),
    pass === ""
      ? proven(ALLOWS, "reading passed")
      : failed(ALLOWS, `it stops reading too: ${firstLine(pass)}`, again),
  ];
}
