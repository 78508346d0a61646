/** Streamable HTTP, only for programs of this user on this machine. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { CLIENTS } from "../../watch/call.ts";
import type { Client } from "../../watch/call.ts";
import { answerHook } from "../hook/answer.ts";
import { MESSAGE_BYTES_MAX, SUBSCRIPTIONS_MAX } from "./stdio.ts";
import { HOST } from "./token.ts";

const REQUESTS_MAX = 64;
/** How long a request may take to arrive; answering it may take longer. */
const ARRIVAL_MS_MAX = 30_000;

export const PATH = "/mcp";
/** Path prefix for hooks: the same answer as `holdpoint hook <client>`, without starting a process. */
const HOOK = "/hook/";

export interface Opened {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Starts to listen. Throws if the port is not available. */
export async function overHttp(
  factory: McpServerFactory,
  { token, port, cwd }: { readonly token: string; readonly port: number; readonly cwd: string },
): Promise<Opened> {
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: MESSAGE_BYTES_MAX,
    maxSubscriptions: SUBSCRIPTIONS_MAX,
  });
  let running = 0;
  const server = createServer((request, response) => {
    const refused = running >= REQUESTS_MAX ? BUSY : refusal(request, token);
    if (refused !== undefined) {
      end(response, refused);
      return;
    }
    running += 1;
    const client = hookOf(request.url ?? "");
    const served =
      client === undefined
        ? serve(handler.fetch, request, response)
        : serveHook({ client, cwd }, request, response);
    served.catch(() => response.destroy()).finally(() => (running -= 1));
  });
  server.requestTimeout = ARRIVAL_MS_MAX;
  server.headersTimeout = ARRIVAL_MS_MAX;
  server.maxConnections = 4 * REQUESTS_MAX;
  return {
    port: await listen(server, port),
    close: async () => {
      await handler.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  return isAddress(address) ? address.port : port;
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

interface Refused {
  readonly status: number;
  readonly message: string;
}

const BUSY: Refused = { status: 503, message: "Too many requests at once; try again" };

/**
 * A web page in a browser can reach loopback too. It is recognised by its host name, its origin, or the missing
 * token.
 */
function refusal({ headers, url = "" }: IncomingMessage, token: string): Refused | undefined {
  const host = validateHostHeader(headers.host ?? null, localhostAllowedHostnames());
  if (!host.ok) return { status: 403, message: "This host name is not served" };
  const origin = validateOriginHeader(headers.origin ?? null, localhostAllowedOrigins());
  if (!origin.ok) return { status: 403, message: "This origin is not served" };
  if (!isToken(headers.authorization ?? "", token))
    return { status: 401, message: "Authorization: Bearer <token> is needed" };
  return pathOf(url) === PATH || hookOf(url) !== undefined
    ? undefined
    : { status: 404, message: `Only ${PATH} and ${HOOK}<client> are here` };
}

function pathOf(url: string): string {
  return url.split("?")[0] ?? "";
}

function hookOf(url: string): Client | undefined {
  return CLIENTS.find((one) => pathOf(url) === `${HOOK}${one}`);
}

/** Compares digests, so that timing reveals neither the length nor a matching prefix. */
function isToken(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const [, sent = ""] = /^bearer (.+)$/i.exec(given) ?? [];
  return timingSafeEqual(digest(sent), digest(token));
}

function end(response: ServerResponse, { status, message }: Refused): void {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });
  response.writeHead(status, {
    "content-type": "application/json",
    connection: "close",
    ...challenge,
  });
  response.end(body);
}

async function serve(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await answer(webRequest(request, gone.signal));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) return void response.end();
  await pipeline(Readable.fromWeb(answered.body), response);
}

/** A client treats an empty answer as a yes, so anything else has words or is a failure. */
async function serveHook(
  { client, cwd }: { readonly client: Client; readonly cwd: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "POST") return end(response, { status: 405, message: "POST a payload" });
  const payload = await bodyOf(request);
  if (payload === undefined) return end(response, { status: 413, message: "It is too long" });
  const { stdout, stderr, exit } = await answerHook(client, payload, process.env, cwd);
  if (stdout === "" && exit !== 0) return end(response, { status: 500, message: stderr });
  response.writeHead(200, { "content-type": "application/json" });
  response.end(stdout === "" ? "{}" : stdout);
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MESSAGE_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const { method = "GET", url = PATH } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${HOST}`), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(request), duplex: "half" } : {}),
  });
}
