/** The hook as it stands in the client's file, made to fire: on something it must stop and something it must not. */
import { pathToFileURL } from "node:url";
import { isJsonObject, showJson } from "../../../core/values/json.ts";
import { readLooseJson } from "../../../files/json-loose.ts";
import { nodeAt, toJson } from "../../../files/json-source.ts";
import type { Client } from "../../../watch/call.ts";
import { commandsIn } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { readTarget } from "../disk.ts";
import { CLIENT_SECONDS, isHookCommand } from "../hook-command.ts";
import { installedHooks } from "../installed.ts";
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
  const file = setup.hookFile(where, user);
  const [command, second] = beforeTool(setup, where, user);
  if (command === undefined)
    return [
      failed(
        "hook before a tool",
        `${file} has none of ours under ${setup.beforeTool}`,
        `Run ${again}.`,
      ),
    ];
  const results = await fire(client, command, where, scene);
  const twice =
    second === undefined
      ? []
      : [failed("hook before a tool", `${file} has it more than once`, `Run ${again}.`)];
  return [
    ...twice,
    ...results.map((one) => ({
      ...one,
      ...(one.state === "failed" ? { fix: `${one.fix ?? ""} Or run ${again}.`.trim() } : {}),
    })),
  ];
}

/** Commands of ours under the client's name for what happens before a tool. */
function beforeTool(setup: ClientSetup, where: Where, user: boolean): readonly string[] {
  const file = readTarget(setup.hookFile(where, user), where.root);
  const root = file.kind === "text" ? readLooseJson(file.text).root : undefined;
  const node = nodeAt(root, ["hooks", setup.beforeTool]);
  const texts = node === undefined ? [] : commandsIn(toJson(node));
  return texts.filter((text) => isHookCommand(text, setup.client));
}

async function fire(
  client: Exclude<Client, "opencode">,
  command: string,
  { root }: Where,
  scene: Scene,
): Promise<readonly Check[]> {
  const { env, edit, read } = PAYLOADS[client];
  const ask = async (input: string): Promise<Ran> =>
    await runBounded("sh", ["-c", command], {
      cwd: scene.dir,
      env: { ...plainEnv(), ...env(root) },
      input,
      ms: (CLIENT_SECONDS + 2) * 1000,
    });
  const [held, plain, cut] = await Promise.all([
    ask(JSON.stringify(edit(scene.held, scene.dir))),
    ask(JSON.stringify(read(scene.plain, scene.dir))),
    ask('{"tool_name":'),
  ]);
  return [stopped(client, held), passed(client, plain), refused(cut)];
}

const LOOK = "Run what the file names by hand: does it start?";

/** All three at once, so that whichever one the client goes by is there. */
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

/** OpenCode loads the plugin itself, and says nothing where it cannot: so it is loaded here. */
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
