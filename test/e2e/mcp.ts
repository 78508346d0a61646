/** An MCP client of the plainest kind: JSON-RPC by hand, over the built program, counting what a model reads and writes. */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/values/json.ts";
import { BIN } from "./cli.ts";
import type { Scratch } from "./cli.ts";

/** The revision with an envelope in every request, or one that begins with a handshake. */
export type Era = "2026-07-28" | "2025-11-25" | "2025-06-18";

const ANSWER_MS_MAX = 60_000;

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: ToolResult & Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

export interface McpOptions {
  readonly era?: Era;
  readonly client?: string;
  readonly capabilities?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly args?: readonly string[];
}

export class McpClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | string>;
  /** Whatever came that answers nothing. */
  readonly heard: Message[] = [];
  tokens = 0;
  calls = 0;
  stderr = "";
  readonly #options: Required<Pick<McpOptions, "era" | "client" | "capabilities">>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #id = 0;

  constructor({ top, env }: Pick<Scratch, "top" | "env">, options: McpOptions = {}) {
    const { era = "2025-06-18", client = "claude-code", capabilities = {} } = options;
    this.#options = { era, client, capabilities };
    this.child = spawn(process.execPath, [BIN, "mcp", ...(options.args ?? [])], {
      cwd: options.cwd ?? top,
      env: { ...env, ...options.env },
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.child.stdin.on("error", () => undefined);
    createInterface({ input: this.child.stdout }).on("line", (line) => this.#hear(line));
    this.ended = new Promise((resolve) => {
      this.child.once("exit", (code, signal) => resolve(code ?? signal ?? ""));
    });
    if (process.env["VITEST"] !== undefined) onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  #hear(line: string): void {
    const message = JSON.parse(line) as Message;
    const waits = typeof message.id === "number" ? this.#waiting.get(message.id) : undefined;
    if (waits === undefined || message.method !== undefined) this.heard.push(message);
    else waits(message);
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  notify(method: string, params: JsonObject): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", method, params: this.#enveloped(params) }));
  }

  /** Sends a request, and waits for its answer unless the server is gone first. */
  async ask(method: string, params: JsonObject = {}): Promise<Message> {
    this.#id += 1;
    const id = this.#id;
    const answered = new Promise<Message>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_MS_MAX).unref();
      void this.ended.then((how) => reject(new Error(`the server ended (${how}): ${this.stderr}`)));
    });
    this.write(JSON.stringify({ jsonrpc: "2.0", id, method, params: this.#enveloped(params) }));
    return await answered.finally(() => this.#waiting.delete(id));
  }

  #enveloped(params: JsonObject): JsonObject {
    const { era, client, capabilities } = this.#options;
    if (era !== "2026-07-28") return params;
    const meta = {
      "io.modelcontextprotocol/protocolVersion": era,
      "io.modelcontextprotocol/clientInfo": { name: client, version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    return { ...params, _meta: { ...meta, ...Object(params["_meta"]) } };
  }

  /** What a client does before the first call; the definitions count for the model that gets them. */
  async begin(): Promise<this> {
    const { era, client, capabilities } = this.#options;
    const hello =
      era === "2026-07-28"
        ? await this.ask("server/discover")
        : await this.ask("initialize", {
            protocolVersion: era,
            capabilities,
            clientInfo: { name: client, version: "1.0.0" },
          });
    if (era !== "2026-07-28") this.notify("notifications/initialized", {});
    const listed = await this.ask("tools/list");
    this.tokens += tokensOf(JSON.stringify(hello.result?.["instructions"] ?? ""));
    this.tokens += definitionTokens(listed);
    return this;
  }

  async result(name: string, args: JsonObject = {}, meta: JsonObject = {}): Promise<Message> {
    const params = {
      name,
      arguments: args,
      ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    };
    return await this.ask("tools/call", params);
  }

  /** A call as a model makes it: the words it writes and the words it reads are counted. */
  async call(name: string, args: JsonObject = {}, meta: JsonObject = {}): Promise<string> {
    const { result, error } = await this.result(name, args, meta);
    const text = result?.content?.map((one) => one.text).join("\n") ?? `error ${error?.message}`;
    this.tokens += tokensOf(`${name} ${JSON.stringify(args)}`) + tokensOf(text);
    this.calls += 1;
    if (process.env["MCP_SHOW"] !== undefined)
      process.stdout.write(
        `> ${name} ${JSON.stringify(args).slice(0, 200)}\n${text.slice(0, 1500)}\n`,
      );
    return text;
  }

  /** Closes its end, as clients do. */
  async end(): Promise<number | string> {
    this.child.stdin.end();
    return await this.ended;
  }
}

export function tokensOf(text: string): number {
  return encode(text).length;
}

/** Clients give the model name, description and schema of each tool. */
export function definitionTokens(listed: Message): number {
  const tools = (listed.result?.["tools"] ?? []) as readonly JsonObject[];
  const given = tools.map(({ name = "", description = "", inputSchema = {} }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  return given.map((one) => tokensOf(JSON.stringify(one))).reduce((sum, one) => sum + one, 0);
}
