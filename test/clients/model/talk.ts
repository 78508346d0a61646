/** A conversation as a model was sent it, entry by entry, from whichever dialect. */
import type { Body, Dialect } from "./request.ts";

export type Entry =
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly text: string }
  | { readonly kind: "result"; readonly id: string; readonly text: string }
  /** What the model said itself. */
  | { readonly kind: "said"; readonly text: string }
  /** What a user, the client or a hook put in. */
  | { readonly kind: "told"; readonly text: string };

/** Every field that is looked at, of all dialects. */
interface Raw {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly tool_use_id?: string;
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly input?: unknown;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly content?: unknown;
  readonly text?: string;
  readonly encrypted_content?: string;
  readonly parts?: readonly Raw[];
  readonly tool_calls?: readonly { readonly id: string; readonly function: Raw }[];
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: { readonly id?: string; readonly response?: unknown };
}

export function entriesOf(dialect: Dialect, body: Body): readonly Entry[] {
  const raws = (body.messages ?? body.contents ?? body.input ?? []) as readonly Raw[];
  if (typeof raws === "string") return [{ kind: "told", text: raws }];
  if (dialect === "responses") return raws.flatMap(responseEntries);
  if (dialect === "chat") return raws.flatMap(chatEntries);
  return raws.flatMap(({ role = "", content, parts }) => {
    if (typeof content === "string") return [spoken(role, content)];
    return ((content as readonly Raw[] | undefined) ?? parts ?? []).flatMap((one) =>
      blockEntries(one, role),
    );
  });
}

function spoken(role: string, text: string): Entry {
  return { kind: role === "assistant" || role === "model" ? "said" : "told", text };
}

function blockEntries(raw: Raw, role: string): readonly Entry[] {
  const { functionCall: made, functionResponse: came } = raw;
  if (made !== undefined)
    return [{ kind: "call", id: made.id ?? "", name: made.name, text: shown(made.args ?? {}) }];
  if (came !== undefined)
    return [{ kind: "result", id: came.id ?? "", text: textsIn(came.response).join("\n") }];
  if (raw.type === "tool_use")
    return [{ kind: "call", id: raw.id ?? "", name: raw.name ?? "", text: shown(raw.input) }];
  if (raw.type === "tool_result")
    return [{ kind: "result", id: raw.tool_use_id ?? "", text: textsIn(raw.content).join("\n") }];
  return raw.text === undefined ? [] : [spoken(role, raw.text)];
}

function responseEntries(raw: Raw): readonly Entry[] {
  const { type = "message", role = "user", call_id: id = "", name = "", namespace = "" } = raw;
  if (type.endsWith("_call"))
    return [
      { kind: "call", id, name: `${namespace}${name}`, text: shown(raw.arguments ?? raw.input) },
    ];
  if (type.endsWith("_call_output"))
    return [{ kind: "result", id, text: textsIn(raw.output).join("\n") }];
  return textsIn(raw.content).map((text) => spoken(role, text));
}

function chatEntries({ role = "", content, tool_calls = [], tool_call_id }: Raw): readonly Entry[] {
  if (role === "system") return [];
  const text = textsIn(content).join("\n");
  if (role === "tool") return [{ kind: "result", id: tool_call_id ?? "", text }];
  const calls = tool_calls.map(({ id, function: { name = "", arguments: args } }): Entry => ({
    kind: "call",
    id,
    name,
    text: shown(args),
  }));
  return [...(text === "" ? [] : [spoken(role, text)]), ...calls];
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** Every text in a content, without the words that say what kind it is. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    ["type", "role", "id", "cache_control"].includes(key) ? [] : textsIn(one),
  );
}
