/** What the scripted model does, said once for all clients and found among the tools that each one offers. */
import type { Conversation, Tool } from "./request.ts";

/** One turn of the model: tools to call, or last words. */
export type Step = Turn & {
  /** What somebody else does meanwhile; a promise that is never kept is a model that does not answer. */
  readonly before?: () => Promise<void>;
};

type Turn = { readonly say: string } | { readonly calls: readonly Op[] };

export type Op =
  | { readonly mcp: string; readonly args?: object }
  | { readonly shell: string }
  /** `before` where it is to be written over. */
  | { readonly write: readonly [path: string, text: string, before?: string] }
  | { readonly edit: readonly [path: string, before: string, after: string] }
  | { readonly read: string }
  | { readonly agent: string; readonly prompt: string }
  /** Where subagents work in the background: until they are done. */
  | { readonly wait: number };

/** Its turns one after the other, or what follows from what was heard last. */
export type Script = readonly Step[] | ((heard: string, index: number) => Step | Promise<Step>);

export type Scripts = Readonly<Record<string, Script>>;

/** A conversation follows the script that was named last in it. */
export function mark(script: string): string {
  return `[[script:${script}]]`;
}

/**
 * The place in a script is counted from the turns since its mark, so a client may ask again, go on another day, or have
 * subagents that follow scripts of their own.
 */
export function placeOf(
  { turns, tools }: Conversation,
  isScript: (name: string) => boolean,
): { readonly script: string; readonly index: number } | undefined {
  let found: { readonly script: string; readonly at: number } | undefined;
  for (const [at, { who, text }] of turns.entries())
    for (const [, script = ""] of who === "user" ? text.matchAll(/\[\[script:([\w-]+)\]\]/g) : [])
      if (isScript(script)) found = { script, at };
  // Titles and the like are asked for without tools.
  if (found === undefined || tools.length === 0) return undefined;
  const index = turns.slice(found.at + 1).filter(({ who }) => who === "model").length;
  return { script: found.script, index };
}

export interface ToolCall {
  readonly name: string;
  readonly args?: object;
  /** For a tool that takes text. */
  readonly custom?: string;
  readonly namespace?: string;
}

/** The call that does it in this client; a text says that the client offers nothing of the kind. */
export function callOf(op: Op, tools: readonly Tool[], server: string): ToolCall | string {
  const exec = tools.find((tool) => tool.name === "exec" && tool.custom);
  if (exec !== undefined && !tools.some(({ name }) => name === "exec_command"))
    return inCode(op, exec, server) ?? direct(op, tools, server);
  return direct(op, tools, server);
}

/** Codex with newer models: everything is JavaScript given to one tool. */
function inCode(op: Op, exec: Tool, server: string): ToolCall | undefined {
  const code = expressionOf(op, server);
  if (code === undefined) return undefined;
  const custom =
    "mcp" in op ? `text((await ${code}).content[0].text)` : `text(JSON.stringify(await ${code}))`;
  return named(exec, { custom });
}

function expressionOf(op: Op, server: string): string | undefined {
  const json = JSON.stringify;
  if ("mcp" in op) return `tools.mcp__${server}__${op.mcp}(${json(op.args ?? {})})`;
  if ("shell" in op) return `tools.exec_command(${json({ cmd: op.shell })})`;
  if ("read" in op) return `tools.exec_command(${json({ cmd: `cat ${op.read}` })})`;
  if ("write" in op) return `tools.apply_patch(${json(addition(op.write[0], op.write[1]))})`;
  if ("edit" in op) return `tools.apply_patch(${json(change(...op.edit))})`;
  return undefined;
}

function addition(path: string, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((line) => `+${line}`).join("\n")}\n*** End Patch`;
}

function change(path: string, before: string, after: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch`;
}

function named(tool: Tool, rest: Pick<ToolCall, "args" | "custom">): ToolCall {
  const { name, namespace } = tool;
  return namespace === undefined ? { name, ...rest } : { name, namespace, ...rest };
}

function direct(op: Op, tools: readonly Tool[], server: string): ToolCall | string {
  if ("mcp" in op) return mcpCall(op, tools, server);
  if ("read" in op) return readCall(op.read, tools, server);
  if ("wait" in op) return waitCall(op.wait, tools, server);
  const [kind, make] = maker(op);
  const tool = firstOf(tools, Object.keys(make));
  if (tool === undefined)
    return `no tool for ${kind} among ${tools.map(({ name }) => name).join(", ")}`;
  return named(tool, make[tool.name]?.(tool) ?? {});
}

type Make = Readonly<Record<string, (tool: Tool) => Pick<ToolCall, "args" | "custom">>>;

/** For each kind of work the tools that do it, by the names of all clients, the best first. */
function maker(
  op: Exclude<Op, { mcp: string } | { read: string } | { wait: number }>,
): [string, Make] {
  if ("shell" in op) return ["a shell command", shellTools(op.shell)];
  if ("write" in op) return ["writing", writeTools(...op.write)];
  if ("edit" in op) return ["editing", editTools(op.edit)];
  return ["a subagent", agentTools(op.agent, op.prompt)];
}

function shellTools(command: string): Make {
  const plain = (tool: Tool): { args: object } => ({
    args: { command, ...(has(tool, "description") ? { description: "scripted" } : {}) },
  });
  return {
    Bash: plain,
    exec_command: () => ({ args: { cmd: command } }),
    shell_command: plain,
    run_shell_command: plain,
    bash: plain,
  };
}

function writeTools(path: string, content: string, before?: string): Make {
  const over: Make =
    before === undefined
      ? {}
      : { edit: () => ({ args: { path, old_str: before, new_str: content } }) };
  return {
    Write: () => ({ args: { file_path: path, content } }),
    write_file: () => ({ args: { file_path: path, content } }),
    write: () => ({ args: { filePath: path, content } }),
    ...over,
    create: () => ({ args: { path, file_text: content } }),
    apply_patch: (tool) => patch(tool, addition(path, content)),
  };
}

function editTools([path, before, after]: readonly [string, string, string]): Make {
  const snake = { file_path: path, old_string: before, new_string: after };
  const short = { path, old_str: before, new_str: after };
  return {
    Edit: () => ({ args: snake }),
    replace: () => ({ args: { ...snake, instruction: "scripted" } }),
    edit: (tool) => ({
      args: has(tool, "filePath") ? { filePath: path, oldString: before, newString: after } : short,
    }),
    str_replace: () => ({ args: short }),
    apply_patch: (tool) => patch(tool, change(path, before, after)),
  };
}

let agents = 0;

function agentTools(type: string, prompt: string): Make {
  agents += 1;
  const name = `scripted_${agents}`;
  const described = { description: "scripted", prompt };
  return {
    Agent: () => ({ args: { ...described, subagent_type: type } }),
    task: (tool) => ({
      args: has(tool, "agent_type")
        ? { ...described, name, agent_type: type }
        : { ...described, subagent_type: type },
    }),
    spawn_agent: (tool) => ({
      args: {
        message: prompt,
        ...(has(tool, "task_name") ? { task_name: name } : {}),
        ...(has(tool, "agent_type") ? { agent_type: type } : {}),
      },
    }),
    invoke_agent: () => ({ args: { agent_name: type, prompt } }),
    invoke_subagent: () => ({ args: { agent_name: type, prompt } }),
  };
}

function patch(tool: Tool, text: string): Pick<ToolCall, "args" | "custom"> {
  if (tool.custom) return { custom: text };
  return { args: { [has(tool, "patchText") ? "patchText" : "input"]: text } };
}

function has(tool: Tool, property: string): boolean {
  return property in (tool.schema?.properties ?? {});
}

function firstOf(tools: readonly Tool[], names: readonly string[]): Tool | undefined {
  for (const name of names) {
    const tool = tools.find((one) => one.name === name);
    if (tool !== undefined) return tool;
  }
  return undefined;
}

function mcpCall(
  { mcp, args = {} }: { readonly mcp: string; readonly args?: object },
  tools: readonly Tool[],
  server: string,
): ToolCall | string {
  const names = [`mcp__${server}__`, `mcp_${server}_`, `${server}_`, `${server}-`].map(
    (head) => `${head}${mcp}`,
  );
  const tool =
    firstOf(tools, names) ??
    tools.find(({ namespace = "", name }) => namespace.includes(server) && name === mcp);
  if (tool !== undefined) return named(tool, { args });
  // Codex finds it without having offered it.
  if (firstOf(tools, ["tool_search"]) !== undefined)
    return { name: mcp, namespace: `mcp__${server}`, args };
  return `no tool ${mcp} of ${server} among ${tools.map(({ name }) => name).join(", ")}`;
}

function readCall(path: string, tools: readonly Tool[], server: string): ToolCall | string {
  const tool = firstOf(tools, ["Read", "read_file", "read", "view"]);
  if (tool === undefined) return callOf({ shell: `cat '${path}'` }, tools, server);
  const key = ["file_path", "filePath", "absolute_path"].find((one) => has(tool, one)) ?? "path";
  return named(tool, { args: { [key]: path } });
}

const WAIT_MS = 15_000;

function waitCall(seconds: number, tools: readonly Tool[], server: string): ToolCall | string {
  const tool = firstOf(tools, ["wait_agent"]);
  if (tool === undefined) return callOf({ shell: `sleep ${seconds}` }, tools, server);
  const targets = has(tool, "targets") ? { targets: [] } : {};
  return named(tool, { args: { ...targets, timeout_ms: WAIT_MS } });
}
