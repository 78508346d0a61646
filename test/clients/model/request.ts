/** A request to a model, read from whichever of four dialects a client speaks. */

export type Dialect = "anthropic" | "responses" | "chat" | "gemini";

/** Every field that is looked at, of all dialects. */
export interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly instructions?: unknown;
  readonly messages?: readonly Item[];
  readonly input?: string | readonly Item[];
  readonly contents?: readonly Item[];
  readonly tools?: readonly RawTool[];
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly generationConfig?: { readonly responseJsonSchema?: Schema; responseSchema?: Schema };
  readonly response_format?: { readonly json_schema?: { readonly schema?: Schema } };
  readonly text?: { readonly format?: { readonly schema?: Schema } };
  readonly output_config?: { readonly format?: { readonly schema?: Schema } };
}

export interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly text?: string;
  readonly content?: string | readonly Item[] | null;
  readonly parts?: readonly Item[];
  /** Codex hands a subagent its prompt in here. */
  readonly encrypted_content?: string;
  readonly tools?: readonly RawTool[];
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface RawTool {
  readonly type?: string;
  readonly name?: string;
  readonly tools?: readonly RawTool[];
  readonly function?: { readonly name: string; readonly parameters?: Schema };
  readonly functionDeclarations?: readonly RawTool[];
  readonly input_schema?: Schema;
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: Schema;
}

export interface Tool {
  readonly name: string;
  readonly schema: Schema | undefined;
  /** Takes text instead of an object. */
  readonly custom: boolean;
  readonly namespace?: string;
  readonly raw: RawTool;
}

interface Turn {
  readonly who: "user" | "model" | "other";
  readonly text: string;
}

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** Whatever came since the model spoke last: results of tools, words of a user. */
  readonly heard: string;
}

export function conversationOf(dialect: Dialect, body: Body): Conversation {
  const input = typeof body.input === "object" ? body.input : [];
  // Codex carries tools in its input too.
  const more = input.flatMap((item) => item.tools ?? []);
  return {
    turns: turnsOf(dialect, body),
    tools: toolsOf([...(body.tools ?? []), ...more]),
    heard: heardIn(body),
  };
}

function heardIn({ messages, contents, input }: Body): string {
  const items = messages ?? contents ?? (typeof input === "object" ? input : []);
  const last = items.findLastIndex(
    ({ role = "", type }) => ["assistant", "model"].includes(role) || MODEL_ITEMS.includes(type),
  );
  // What a client remarks, such as that a subagent in the background has ended, is old when it comes.
  const told = items
    .slice(last + 1)
    .filter(({ role = "" }) => !["system", "developer"].includes(role));
  return stringsIn(told).join("\n");
}

const LABELS: readonly string[] = [
  "role",
  "type",
  "id",
  "tool_use_id",
  "call_id",
  "tool_call_id",
  "name",
];

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    LABELS.includes(key) ? [] : stringsIn(one),
  );
}

function turnsOf(dialect: Dialect, body: Body): readonly Turn[] {
  if (dialect === "responses") return responseTurns(body.input ?? []);
  if (dialect === "gemini")
    return (body.contents ?? []).map((item) => turn(item.role === "model", "user", item.parts));
  return (body.messages ?? []).map(({ role, content }) =>
    turn(role === "assistant", role ?? "", content),
  );
}

function turn(isModel: boolean, role: string, content: Item["content"]): Turn {
  if (isModel) return { who: "model", text: "" };
  return { who: role === "user" ? "user" : "other", text: textOf(content) };
}

const MODEL_ITEMS: readonly (string | undefined)[] = [
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "reasoning",
  "tool_search_call",
];

/** Here several items make one turn of the model. */
function responseTurns(input: string | readonly Item[]): readonly Turn[] {
  if (typeof input === "string") return [{ who: "user", text: input }];
  const turns: Turn[] = [];
  let before = false;
  for (const item of input) {
    const isModel = item.role === "assistant" || MODEL_ITEMS.includes(item.type);
    const isMail = item.type === "agent_message" || item.type === "message";
    if (isModel && !before) turns.push({ who: "model", text: "" });
    else if (item.role === "user" || isMail)
      turns.push(turn(false, item.role ?? "user", item.content));
    before = isModel;
  }
  return turns;
}

function textOf(content: Item["content"] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((part) => part.text ?? part.encrypted_content ?? textOf(part.content))
    .join("\n");
}

function toolsOf(raws: readonly RawTool[], namespace?: string): readonly Tool[] {
  return raws.flatMap((raw): readonly Tool[] => {
    if (raw.functionDeclarations !== undefined) return toolsOf(raw.functionDeclarations);
    if (raw.type === "namespace") return toolsOf(raw.tools ?? [], raw.name);
    const schema =
      raw.function?.parameters ?? raw.parametersJsonSchema ?? raw.input_schema ?? raw.parameters;
    const name = raw.function?.name ?? raw.name ?? raw.type ?? "";
    const tool = { name, schema, custom: raw.type === "custom", raw };
    return [namespace === undefined ? tool : { ...tool, namespace }];
  });
}

/** What a request for structured text wants it to be. */
export function wantedSchema(body: Body): Schema | undefined {
  const gemini = body.generationConfig;
  return (
    gemini?.responseJsonSchema ??
    gemini?.responseSchema ??
    body.response_format?.json_schema?.schema ??
    body.text?.format?.schema ??
    body.output_config?.format?.schema
  );
}

/** The smallest value of a schema, with this word wherever a text is wanted. */
export function instanceOf(schema: Schema | undefined, word = "ok"): unknown {
  const type = String(schema?.type ?? "string").toLowerCase();
  if (schema?.enum !== undefined) return schema.enum[0];
  const { properties = {} } = schema ?? {};
  if (type === "object")
    return Object.fromEntries(
      (schema?.required ?? Object.keys(properties)).map((key) => [
        key,
        instanceOf(properties[key], word),
      ]),
    );
  if (type === "array") return [];
  if (type === "integer" || type === "number") return 1;
  return type === "boolean" ? false : word;
}
