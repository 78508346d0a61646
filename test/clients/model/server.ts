/** A model on loopback that follows a script, in the dialects of five clients. It keeps every request. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { send, sendJson } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { conversationOf, instanceOf, wantedSchema } from "./request.ts";
import type { Body, Conversation, Dialect } from "./request.ts";
import { callOf, placeOf } from "./script.ts";
import type { Script, Scripts, Step, ToolCall } from "./script.ts";

export interface Asked {
  readonly dialect: Dialect;
  readonly body: Body;
  readonly script: string | undefined;
  readonly index: number;
  readonly answer: Answer;
}

export interface Model {
  readonly url: string;
  /** What it is to do, and what it was asked since then. */
  readonly follow: (scripts: Scripts) => void;
  /** One more script, for a subagent that is about to be started. */
  readonly also: (name: string, script: Script) => void;
  /** The last words of whoever follows that script; undefined while it goes on. */
  readonly lastWords: (script: string) => string | undefined;
  readonly asked: () => readonly Asked[];
  /** What went wrong on this side: a tool that the client does not offer, a script that cannot go on. */
  readonly missing: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** A session of a few dozen turns stays far below it. */
const REQUESTS_MAX = 400;
const BODY_BYTES_MAX = 20_000_000;

export async function startModel(server: string): Promise<Model> {
  const scripts = new Map<string, Script>();
  const steps = new Map<string, Step | Promise<Step>>();
  const ended = new Map<string, string>();
  const asked: Asked[] = [];
  const missing: string[] = [];
  const reply = async (dialect: Dialect, body: Body): Promise<Answer> => {
    const talk = conversationOf(dialect, body);
    const found = placeOf(talk, (name) => scripts.has(name));
    const step =
      found === undefined ? undefined : await stepAt(found.script, found.index, talk.heard);
    await step?.before?.();
    const answer = step === undefined ? aside(body) : play(step, talk);
    if (step !== undefined && "say" in step) ended.set(found?.script ?? "", step.say);
    asked.push({ dialect, body, script: found?.script, index: found?.index ?? 0, answer });
    return answer;
  };
  /** Asked again, it says the same again. */
  const stepAt = (name: string, index: number, heard: string): Step | Promise<Step> => {
    const script = scripts.get(name) ?? [];
    const known = steps.get(`${name} ${index}`);
    const made = typeof script === "function" ? () => script(heard, index) : () => script[index];
    const step = known ?? made() ?? { say: "The script is at its end." };
    steps.set(`${name} ${index}`, step);
    return step;
  };
  const play = (step: Step, { tools }: Conversation): Answer => {
    if ("say" in step) return spoken(step.say, tools);
    const calls: ToolCall[] = [];
    for (const op of step.calls) {
      const call = callOf(op, tools, server);
      if (typeof call === "string") missing.push(call);
      else calls.push(call);
    }
    return { text: calls.length === 0 ? "There is no tool for it." : "", calls };
  };
  const http = createServer((req, res) => {
    bodyOf(req)
      .then((body) => {
        if (asked.length >= REQUESTS_MAX) return sendJson(res, { error: "too many" }, 400);
        return route(req, res, body, reply);
      })
      .catch((error: unknown) => {
        missing.push(String(error));
        sendJson(res, { error: String(error) }, 400);
      });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    follow: (next) => {
      for (const kept of [scripts, steps, ended]) kept.clear();
      for (const [name, script] of Object.entries(next)) scripts.set(name, script);
      asked.length = 0;
      missing.length = 0;
    },
    also: (name, script) => void scripts.set(name, script),
    lastWords: (script) => ended.get(script),
    asked: () => [...asked],
    missing: () => [...missing],
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

/** Gemini's subagents end through a tool of theirs. */
function spoken(text: string, tools: Conversation["tools"]): Answer {
  const end = tools.find(({ name }) => name === "complete_task");
  if (end === undefined) return { text, calls: [] };
  return { text, calls: [{ name: end.name, args: instanceOf(end.schema, text) as object }] };
}

function aside(body: Body): Answer {
  const schema = wantedSchema(body);
  return { text: schema === undefined ? "ok" : JSON.stringify(instanceOf(schema)), calls: [] };
}

async function bodyOf(req: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error("too large");
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return {};
  const open = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };
  const encoding = req.headers["content-encoding"] ?? "";
  const text = encoding in open ? open[encoding as keyof typeof open](bytes) : bytes;
  return JSON.parse(text.toString()) as Body;
}

const DIALECTS: readonly (readonly [RegExp, Dialect])[] = [
  [/\/messages$/, "anthropic"],
  [/\/chat\/completions$/, "chat"],
  [/\/responses$/, "responses"],
  [/:(?:stream)?[gG]enerateContent$/, "gemini"],
];

async function route(
  req: IncomingMessage,
  res: ServerResponse,
  body: Body,
  reply: (dialect: Dialect, body: Body) => Promise<Answer>,
): Promise<void> {
  const path = new URL(req.url ?? "/", "http://model").pathname;
  const dialect = DIALECTS.find(([pattern]) => pattern.test(path))?.[1];
  if (req.method === "POST" && dialect !== undefined) {
    const stream = body.stream === true || path.endsWith(":streamGenerateContent");
    const model = body.model ?? /models\/([^/:]+)/.exec(path)?.[1] ?? "mock-model";
    return send(res, dialect, { body, stream, model }, await reply(dialect, body));
  }
  if (/count_?tokens$/i.test(path)) return sendJson(res, { input_tokens: 1, totalTokens: 1 });
  if (req.method === "GET" && path.endsWith("/models"))
    return sendJson(res, {
      object: "list",
      data: [{ id: "mock-model", object: "model" }],
      models: [],
    });
  if (req.method === "HEAD" || path === "/") return sendJson(res, {});
  return sendJson(res, { type: "error", error: { type: "not_found_error", message: path } }, 404);
}
