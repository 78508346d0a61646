/** A scripted answer in the words of each dialect, streamed or whole. */
import type { ServerResponse } from "node:http";
import type { Body, Dialect } from "./request.ts";
import type { ToolCall } from "./script.ts";

export interface Answer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

export interface Asked {
  readonly body: Body;
  readonly stream: boolean;
  readonly model: string;
}

export function send(res: ServerResponse, dialect: Dialect, asked: Asked, answer: Answer): void {
  if (dialect === "anthropic") sendAnthropic(res, asked, answer);
  else if (dialect === "responses") sendResponses(res, asked, answer);
  else if (dialect === "chat") sendChat(res, asked, answer);
  else sendGemini(res, asked, answer);
}

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify(value));
}

let count = 0;

function fresh(prefix: string): string {
  count += 1;
  return `${prefix}${process.pid}x${count}`;
}

function opened(res: ServerResponse): (event: string, data: object) => void {
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (event, data) =>
    res.write(`${event === "" ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
}

const USED = 100;

function sendAnthropic(res: ServerResponse, { stream, model }: Asked, answer: Answer): void {
  const content = [
    ...(answer.text === "" ? [] : [{ type: "text", text: answer.text }]),
    ...answer.calls.map(({ name, args }) => ({
      type: "tool_use",
      id: fresh("toolu_"),
      name,
      input: args ?? {},
    })),
  ];
  const stop_reason = answer.calls.length > 0 ? "tool_use" : "end_turn";
  const usage = { input_tokens: USED, output_tokens: 1 };
  const head = { id: fresh("msg_"), type: "message", role: "assistant", model, usage };
  const message = { ...head, content, stop_reason, stop_sequence: null };
  if (!stream) return sendJson(res, message);
  const put = opened(res);
  const event = (type: string, data: object): void => put(type, { type, ...data });
  event("message_start", { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of content.entries()) {
    const [empty, delta] =
      "text" in block
        ? [
            { ...block, text: "" },
            { type: "text_delta", text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          ];
    event("content_block_start", { index, content_block: empty });
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  event("message_stop", {});
  res.end();
}

function responseItem({ name, namespace, args, custom }: ToolCall): Record<string, unknown> {
  const head = { id: fresh("call_"), call_id: fresh("call_"), status: "completed", name };
  const where = namespace === undefined ? head : { ...head, namespace };
  return custom === undefined
    ? { type: "function_call", ...where, arguments: JSON.stringify(args ?? {}) }
    : { type: "custom_tool_call", ...where, input: custom };
}

function sendResponses(res: ServerResponse, { stream, model }: Asked, answer: Answer): void {
  const message = {
    type: "message",
    id: fresh("msg_"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: answer.text, annotations: [] }],
  };
  const items = [...(answer.text === "" ? [] : [message]), ...answer.calls.map(responseItem)];
  const begun = {
    id: fresh("resp_"),
    object: "response",
    model,
    status: "in_progress",
    output: [],
  };
  const usage = {
    input_tokens: USED,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: USED + 1,
  };
  const done = { ...begun, status: "completed", output: items, usage };
  if (!stream) return sendJson(res, done);
  const put = opened(res);
  const event = (type: string, data: object): void => put(type, { type, ...data });
  event("response.created", { response: begun });
  for (const [output_index, item] of items.entries()) {
    event("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } });
    event("response.output_item.done", { output_index, item });
  }
  event("response.completed", { response: done });
  res.end();
}

function sendChat(res: ServerResponse, { body, stream, model }: Asked, answer: Answer): void {
  const finish_reason = answer.calls.length > 0 ? "tool_calls" : "stop";
  const tool_calls = answer.calls.map(({ name, args, custom }, index) => ({
    index,
    id: fresh("call_"),
    type: "function",
    function: { name, arguments: JSON.stringify(args ?? { input: custom }) },
  }));
  const usage = { prompt_tokens: USED, completion_tokens: 1, total_tokens: USED + 1 };
  const head = { id: fresh("chat-"), created: Math.floor(Date.now() / 1000), model };
  const calls = tool_calls.length > 0 ? { tool_calls } : {};
  if (!stream) {
    const message = { role: "assistant", content: answer.text, ...calls };
    const choices = [{ index: 0, message, finish_reason }];
    return sendJson(res, { ...head, object: "chat.completion", choices, usage });
  }
  const put = opened(res);
  const chunk = (delta: object, finish_reason: string | null = null): void =>
    put("", {
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
  chunk({ role: "assistant", content: answer.text });
  for (const call of tool_calls) chunk({ tool_calls: [call] });
  chunk({}, finish_reason);
  if (body.stream_options?.include_usage === true)
    put("", { ...head, object: "chat.completion.chunk", choices: [], usage });
  res.end("data: [DONE]\n\n");
}

function sendGemini(res: ServerResponse, { stream, model }: Asked, answer: Answer): void {
  const parts = [
    ...(answer.text === "" ? [] : [{ text: answer.text }]),
    ...answer.calls.map(({ name, args }) => ({
      functionCall: { id: fresh("call"), name, args: args ?? {} },
    })),
  ];
  const usageMetadata = {
    promptTokenCount: USED,
    candidatesTokenCount: 1,
    totalTokenCount: USED + 1,
  };
  const whole = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata,
    modelVersion: model,
    responseId: fresh("response"),
  };
  if (!stream) return sendJson(res, whole);
  opened(res)("", whole);
  res.end();
}
