/** What a shell command would do to paths, as far as that can be told; what cannot be told is said to be so. */
import {
  copiesFolders,
  destination,
  editedFiles,
  holdpointAt,
  inlineTexts,
  lastName,
  operands,
  optionValues,
  patchedPaths,
  searchedBy,
  writesFromText,
  writesInPlace,
} from "./arguments.ts";
import { ANY, assignment, expand } from "./expand.ts";
import {
  INTERPRETERS,
  MAY_STAY,
  OUTPUTS,
  programName,
  READERS,
  RESERVED,
  RUNNER_WORDS,
  RUNNERS,
  RUNS_INPUT,
  SHELLS,
  VALUED,
  WRITERS,
} from "./programs.ts";
import type { Deed, How, Scope, ShellCall } from "./deeds.ts";
import { takeApart } from "./words.ts";
import type { Command } from "./words.ts";

const DEEDS_MAX = 2_000;
const DEPTH_MAX = 6;

export function deedsOf(call: ShellCall): readonly Deed[] {
  const goes = new Walker(call, 0);
  goes.walk();
  // A folder that cannot be entered is not entered: what follows is then done where one stood before.
  if (!MAY_STAY.test(call.command)) return goes.deeds;
  const stays = new Walker({ ...call, stays: true }, 0);
  stays.walk();
  return [...goes.deeds, ...stays.deeds];
}

class Walker {
  readonly deeds: Deed[] = [];
  private readonly call: ShellCall;
  private readonly depth: number;
  private scope: Scope;
  private readonly outer: Scope[] = [];
  /** Variables that were set or taken away for what follows. */
  private readonly changed: string[] = [];

  constructor(call: ShellCall, depth: number, variables: Scope["variables"] = new Map()) {
    [this.call, this.depth] = [call, depth];
    const known = new Map([["HOME", [call.home]], ["PWD", [call.cwd]], ...variables]);
    this.scope = { cwd: call.cwd, variables: known };
  }

  walk(): void {
    const items = this.depth > DEPTH_MAX ? undefined : takeApart(this.call.command);
    if (items === undefined) {
      this.unclear(this.call.command);
      return;
    }
    for (const item of items) {
      if (this.deeds.length > DEEDS_MAX) return this.unclear(this.call.command);
      if (item.kind === "command") this.command(item);
      else if (item.kind === "open") this.enter();
      else this.scope = this.outer.pop() ?? this.scope;
    }
  }

  private enter(): void {
    this.outer.push(this.scope);
    this.scope = { ...this.scope, variables: new Map(this.scope.variables) };
  }

  private unclear(text: string): void {
    this.deeds.push({ kind: "unclear", text, cwd: this.scope.cwd });
  }

  private write(path: string, tree = false): void {
    if (path === "" || /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(path)) return;
    if (path === ANY) this.unclear(this.call.command);
    else this.deeds.push({ kind: "write", path, tree, cwd: this.scope.cwd });
  }

  private command(item: Command): void {
    for (const { operator, word } of item.redirects) {
      const isWrite = operator.includes(">") && operator !== ">&" && operator !== "<&";
      const toFile = operator === ">&" && !/^[\d-]*$/.test(this.texts([word]).join(""));
      if (isWrite || toFile) for (const path of this.texts([word])) this.write(path);
    }
    const env: string[] = [];
    let at = 0;
    for (; at < item.words.length; at += 1) {
      const made = assignment(item.words[at] ?? []);
      if (made === undefined) break;
      env.push(made.name);
      this.scope.variables.set(made.name, this.texts([made.value]));
    }
    const words = this.texts(item.words.slice(at));
    if (words.length === 0) this.changed.push(...env);
    this.run(words, { env: [...this.changed, ...env], fed: item.fed, piped: item.piped });
  }

  private texts(words: Command["words"]): readonly string[] {
    return words.flatMap((word) => expand(word, this.scope.variables, this.call.home));
  }

  private run(words: readonly string[], how: How): void {
    const start = words.findIndex((word) => !RESERVED.has(word));
    const [first, ...args] = start < 0 ? [] : words.slice(start);
    if (first === undefined) return;
    const name = programName(first);
    const ours = holdpointAt(first, args);
    if (name === "function") this.run(args.slice(1), how);
    else if (first.includes(ANY)) {
      this.unclear(this.call.command);
      this.unknownProgram(args, how);
    } else if (ours >= 0)
      this.deeds.push({ kind: "holdpoint", args: args.slice(ours), env: how.env });
    else if (name === "for" || name === "select") this.loop(args);
    else if (/^(?:export|local|declare|readonly|typeset|unset)$/.test(name)) this.declare(args);
    else if (name === "cd" || name === "pushd") this.move(args);
    else if (name === "git") this.git(args, how);
    else if (SHELLS.has(name)) this.shell(name, args, how);
    else if (Object.hasOwn(INTERPRETERS, name)) this.interpret(name, args, how);
    else if (Object.hasOwn(RUNNERS, name)) this.runner(name, args, how);
    else if (name === "find") this.find(args, how);
    else if (name === "apply_patch" || name === "patch") this.patch(args, how);
    else this.plain(name, args, how);
  }

  private plain(name: string, args: readonly string[], how: How): void {
    if (name === "dd") for (const path of optionValues(/^of$/, args)) this.write(path);
    else if (Object.hasOwn(WRITERS, name)) this.writer(name, args);
    else if (writesInPlace(name, args))
      for (const path of editedFiles(name, args)) this.write(path);
    else if (writesFromText(name, args)) this.unclear(args.join(" "));
    else if (name === "trap" || name === "alias")
      for (const arg of args) this.inner(arg.replace(/^\w+=/, ""));
    else if ((name === "source" || name === ".") && args.some((arg) => arg.includes(ANY)))
      this.unclear(this.call.command);
    else {
      this.outputs(name, args);
      if (!READERS.has(name)) this.unknownProgram(args, how);
    }
  }

  private git(args: readonly string[], how: How): void {
    this.deeds.push({ kind: "git", args, cwd: this.scope.cwd, env: how.env });
    const runs = args.findIndex((arg) => arg === "foreach" || arg === "--exec" || arg === "-x");
    if (runs >= 0) this.inner(args.slice(runs + 1).join(" "));
  }

  /** The words of a loop are what its variable may be. */
  private loop([name = "", ...words]: readonly string[]): void {
    this.scope.variables.set(name, words[0] === "in" ? words.slice(1) : [ANY]);
  }

  private declare(args: readonly string[]): void {
    for (const arg of args) {
      this.changed.push(arg.split("=")[0] ?? "");
      const [whole, name] = /^([A-Za-z_]\w*)=/.exec(arg) ?? [];
      if (whole !== undefined && name !== undefined)
        this.scope.variables.set(name, [arg.slice(whole.length)]);
    }
  }

  private move(args: readonly string[]): void {
    if (this.call.stays === true) return;
    const [to = this.call.home] = operands(args);
    this.scope.cwd =
      to === "-" ? ANY : to.startsWith("/") || to.startsWith(ANY) ? to : `${this.scope.cwd}/${to}`;
    this.scope.variables.set("PWD", [this.scope.cwd]);
  }

  /** It may write what it is given, and run what looks like a command or is fed to it. */
  private unknownProgram(args: readonly string[], how?: How): void {
    const { cwd } = this.scope;
    for (const arg of args) {
      const path = /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? arg;
      if (/\s/.test(path)) this.deeds.push({ kind: "names-in", text: path });
      else if (path !== ANY && !path.startsWith("-")) this.deeds.push({ kind: "names", path, cwd });
    }
    for (const text of how?.fed ?? []) this.deeds.push({ kind: "names-in", text });
    if (how?.piped === true && RUNS_INPUT.test(this.call.command)) this.unclear(this.call.command);
  }

  /** An option may name a file or the folder that files are put into. */
  private outputs(name: string, args: readonly string[]): void {
    const option = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
    if (option !== undefined) for (const path of optionValues(option, args)) this.write(path, true);
  }

  private writer(name: string, args: readonly string[]): void {
    const how = WRITERS[name];
    const { into, sources, paths } = destination(args, VALUED[name]);
    if (how === "last" || name === "mv") {
      const deep = copiesFolders(name, args);
      this.write(
        into,
        deep && (name === "ln" || sources.some((from) => /(?:^|\/)\.?$|\*/.test(from))),
      );
      // What is put into a folder keeps its name.
      for (const from of sources) this.write(`${into}/${lastName(from)}`, deep);
      if (name === "ln") for (const from of sources) this.write(from, true);
      if (how === "last") return;
    }
    const recursive = args.some((arg) => /^-\w*[rR]/.test(arg) || arg === "--recursive");
    const skip = how === "rest" && !args.some((arg) => arg.startsWith("--reference")) ? 1 : 0;
    const below = how === "rest" || name === "rm" ? recursive : how === "tree";
    for (const path of paths.slice(skip)) this.write(path, below);
  }

  private shell(name: string, args: readonly string[], how: How): void {
    const at = args.findIndex((arg) => /^-\w*c$/.test(arg) || /^-command$/i.test(arg));
    if (name === "eval") this.inner(args.join(" "));
    else if (at >= 0) this.inner(args[at + 1] ?? "");
    else if (how.fed.length > 0) for (const text of how.fed) this.inner(text);
    else if (operands(args).length === 0) {
      if (how.piped) this.unclear(this.call.command);
    } else this.unknownProgram(operands(args).slice(1));
  }

  /** The text of a program that is run by a shell again. */
  private inner(command: string): void {
    if (command.includes(ANY)) this.unclear(this.call.command);
    const { cwd } = this.scope;
    const walker = new Walker({ ...this.call, command, cwd }, this.depth + 1, this.scope.variables);
    walker.walk();
    this.deeds.push(...walker.deeds);
  }

  private interpret(name: string, args: readonly string[], how: How): void {
    const option = INTERPRETERS[name];
    const inPlace = (name === "perl" || name === "ruby") && args.some((arg) => /^-\w*i/.test(arg));
    if (inPlace) for (const path of operands(args, option)) this.write(path);
    const at = args.findIndex((arg) => option?.test(arg) === true);
    const fed = [...how.fed, ...(at >= 0 ? [args.slice(at + 1).join(" ")] : [])];
    for (const text of [...fed, ...inlineTexts(args)]) this.unclear(text);
    if (fed.length === 0 && how.piped && operands(args).length === 0)
      this.unclear(this.call.command);
    if (at < 0) this.unknownProgram(operands(args).slice(1));
  }

  private runner(name: string, args: readonly string[], how: How): void {
    const valued = RUNNERS[name];
    const env = [...how.env];
    let at = 0;
    for (; at < args.length; at += 1) {
      const arg = args[at] ?? "";
      if (name === "env" && /^\w+=/.test(arg)) env.push(arg.split("=")[0] ?? "");
      else if (valued?.test(arg) === true) {
        const value = args[at + 1] ?? "";
        if (name === "env" && (arg === "-u" || arg === "--unset")) env.push(value);
        if (name === "env" && (arg === "-C" || arg === "--chdir")) this.move([value]);
        if (name === "env" && arg === "-S") this.inner(value);
        at += 1;
      } else if (name === "env" && (arg === "-i" || arg === "-")) env.push("*");
      else if (arg.startsWith("--unset=")) env.push(arg.slice("--unset=".length));
      else if (!arg.startsWith("-")) break;
    }
    const rest = args.slice(at + (RUNNER_WORDS[name] ?? 0));
    const unknown = name === "xargs" || name === "parallel";
    this.run(unknown ? [...rest, ANY] : rest, { ...how, env });
  }

  private find(args: readonly string[], how: How): void {
    const { found, narrow } = searchedBy(args);
    if (args.includes("-delete")) for (const path of found) this.write(path, !narrow);
    for (const [index, arg] of args.entries()) {
      if (/^-f(?:print|ls)/.test(arg)) this.write(args[index + 1] ?? "");
      if (!/^-(?:exec|ok)(?:dir)?$/.test(arg)) continue;
      const end = args.findIndex((one, place) => place > index && (one === ";" || one === "+"));
      const words = args.slice(index + 1, end < 0 ? undefined : end);
      for (const path of found)
        this.run(
          words.map((word) => word.replaceAll("{}", `${path}/**`)),
          how,
        );
    }
  }

  private patch(args: readonly string[], how: How): void {
    const texts = [...how.fed, ...args].filter(
      (one) => one.includes("*** ") || one.includes("+++ "),
    );
    for (const text of texts) for (const path of patchedPaths(text)) this.write(path);
    for (const path of operands(args).slice(0, 1)) if (texts.length === 0) this.write(path);
    if (texts.length === 0) this.unclear(this.call.command);
  }
}
