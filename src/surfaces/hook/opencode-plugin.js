// OpenCode has no hooks that are commands. This plugin runs inside it and asks `holdpoint hook opencode` before every
// use of a tool; whatever is not a clear yes is thrown, which stops the tool. It exports one function and nothing else:
// OpenCode takes every export for a plugin.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const MS_MAX = 20_000;
const END_MS_MAX = 900_000;
const CHARS_MAX = 1_000_000;
const SESSIONS_MAX = 1_000;
const BESIDE = fileURLToPath(new URL("../bin/holdpoint.js", import.meta.url));

export const Holdpoint = async ({ directory }) => {
  const agents = new Map();
  const told = new Map();
  const words = new Map();

  const ask = async (hook, session, { input = {}, output = {}, ...more }) =>
    await run(directory, {
      hook,
      cwd: directory,
      session,
      agent: agents.get(session),
      input,
      output,
      ...more,
    });
  const tell = async (hook, session, more) => {
    try {
      const { tell: text } = await ask(hook, session, more);
      if (typeof text === "string") keep(told, session, text);
    } catch {
      // Nothing can be stopped here; what must be stopped is asked about before the tool is used.
    }
  };

  return {
    "tool.execute.before": async (input, output) => {
      const answer = await ask("tool.execute.before", input.sessionID, {
        input,
        output: { args: output?.args },
      });
      if (answer.decision !== "allow")
        throw new Error(String(answer.reason ?? "HOLD: the hook gave no reason"));
    },
    "tool.execute.after": async (input) =>
      await tell("tool.execute.after", input.sessionID, { input }),
    "chat.message": async (input, output) => {
      const known = agents.get(input.sessionID);
      if (known !== undefined && known.type === undefined) known.type = input.agent;
      await tell("chat.message", input.sessionID, { prompt: textIn(output?.parts) });
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = told.get(input?.sessionID);
      if (text !== undefined) output.system.push(text);
    },
    "shell.env": async (input, output) => {
      output.env.OPENCODE = "1";
      output.env.OPENCODE_SESSION_ID = input.sessionID ?? "";
    },
    event: async ({ event }) => {
      const { type, properties = {} } = event;
      const { info, sessionID = info?.id } = properties;
      const { part } = properties;
      if (type === "message.part.updated" && part?.type === "text" && part.sessionID)
        keep(words, part.sessionID, String(part.text ?? "").slice(0, CHARS_MAX));
      if (type === "session.created" && info?.parentID)
        keep(agents, info.id, { id: info.id, type: info.agent, parent: info.parentID });
      if (/^session\.(?:created|compacted|idle)$/.test(type) && sessionID)
        await tell(type, sessionID, { said: words.get(sessionID) });
    },
  };
};

function keep(map, key, value) {
  if (map.size >= SESSIONS_MAX) map.delete(map.keys().next().value);
  map.set(key, value);
}

function textIn(parts) {
  return (Array.isArray(parts) ? parts : [])
    .map((part) => (part?.type === "text" ? String(part.text ?? "") : ""))
    .join("\n")
    .slice(0, CHARS_MAX);
}

/** In a worktree the packages are those of the main one. */
function programFor(cwd) {
  if (existsSync(BESIDE)) return BESIDE;
  const how = { cwd, encoding: "utf8", timeout: MS_MAX };
  const said = spawnSync("git", ["rev-parse", "--git-common-dir"], how);
  const main = join(
    resolve(cwd, said.stdout?.trim() || "."),
    "..",
    "node_modules/holdpoint/bin/holdpoint.js",
  );
  return existsSync(main) ? main : "holdpoint";
}

/** The answer of the command; an error where there is none, or none that can be understood. */
function run(cwd, payload) {
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(
        new Error(
          `HOLD internal_error: the hook cannot be asked (${why}), so nothing is let through`,
        ),
      );
    const child = spawn(programFor(cwd), ["hook", "opencode"], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
    });
    // The last words of an agent are its report, and taking it may run checks.
    const ms = payload.hook === "session.idle" ? END_MS_MAX : MS_MAX;
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail("it does not answer");
    }, ms);
    let said = "";
    child.stdout.on("data", (chunk) => {
      if (said.length < CHARS_MAX) said += String(chunk);
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      fail(error.message);
    });
    child.on("close", () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(said));
      } catch {
        fail("it gives no answer");
      }
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}
