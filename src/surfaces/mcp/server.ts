/** The server behind both transports: a list of tools, and calls of them. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  inputRequired,
} from "@modelcontextprotocol/server";
import type { CallToolResult, McpServerFactory, ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject, toJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { next } from "../../operations/next.ts";
import type { Call, Desk, Told } from "./call.ts";
import { TOOLS, askedBy } from "./tools.ts";
import type { Asked, Tool } from "./tools.ts";

/** How often a caller that asks for progress is told that its call is still running. */
const PROGRESS_MS = 3_000;

export function serverFor(
  desk: Desk,
  version: string,
  tools: readonly Tool[] = TOOLS,
): McpServerFactory {
  const names = tools.map((one) => one.name);

  return ({ era }) => {
    const { server } = new McpServer(
      { name: "holdpoint", version },
      { capabilities: { tools: {} } },
    );
    server.setRequestHandler("tools/list", () => ({ tools: tools.map((one) => ({ ...one })) }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const given = toJson(params.arguments ?? {});
      const offered = isJsonObject(given) && names.includes(params.name);
      const asked = offered ? askedBy(params.name, given) : undefined;
      if (asked === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${params.name.slice(0, 80)}`,
        );
      const from = {
        client: clientOf(server, context),
        meta: metaOf(context),
        tool: params.name,
        input: isJsonObject(given) ? given : {},
      };
      const shows = asked.operation.name === "ask" && era === "modern" && elicits(context);
      // The first call already recorded the question. What the client returns from showing it answers nothing.
      const shown = shows && context.mcpReq.inputResponses !== undefined;
      const told = await answering(desk, context, { asked: shown ? nextIn(asked) : asked, from });
      return shows && !shown && told.asks ? presented(told.text) : resultOf(told);
    });
    return server;
  };
}

function nextIn({ input: { workflow } }: Asked): Asked {
  return { operation: next, input: workflow === undefined ? {} : { workflow } };
}

async function answering(
  desk: Desk,
  { mcpReq }: ServerContext,
  call: Omit<Call, "progress">,
): Promise<Told> {
  const token = mcpReq._meta?.progressToken;
  const began = performance.now();
  const progress = (message?: string): void => {
    if (token === undefined) return;
    const seconds = Math.round((performance.now() - began) / 1000);
    const params = { progressToken: token, progress: seconds, message: message ?? `${seconds} s` };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const timer = setInterval(progress, PROGRESS_MS);
  try {
    return await desk.call({ ...call, progress });
  } finally {
    clearInterval(timer);
  }
}

function resultOf({ text, failed }: Told): CallToolResult {
  return { content: [{ type: "text", text }], ...(failed ? { isError: true } : {}) };
}

/**
 * Shows the question to a person at the client. What is typed there is not even read: a hook or the client itself
 * could have typed it, so it proves nothing.
 */
function presented(message: string): ReturnType<typeof inputRequired> {
  return inputRequired({
    inputRequests: {
      shown: inputRequired.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: {
            seen: { type: "boolean", title: "Seen; it is answered with: holdpoint answer" },
          },
        },
      }),
    },
  });
}

function elicits(context: ServerContext): boolean {
  return envelopeOf(context, CLIENT_CAPABILITIES_META_KEY)["elicitation"] !== undefined;
}

/** What a client of the current protocol revision says about itself with every request. */
function envelopeOf({ mcpReq }: ServerContext, key: string): JsonObject {
  const envelope = toJson(mcpReq.envelope ?? {});
  const found = isJsonObject(envelope) ? envelope[key] : undefined;
  return isJsonObject(found) ? found : {};
}

function metaOf({ mcpReq }: ServerContext): JsonObject {
  const meta = toJson(mcpReq._meta ?? {});
  return isJsonObject(meta) ? meta : {};
}

function clientOf(server: McpServer["server"], context: ServerContext): string {
  const { name } = envelopeOf(context, CLIENT_INFO_META_KEY);
  return typeof name === "string" ? name : (server.getClientVersion()?.name ?? "");
}
