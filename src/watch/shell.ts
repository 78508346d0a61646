/** What a shell command would do to paths, as far as that can be determined. The rest is reported as unclear. */
import {
  commandsGiven,
  commandsSet,
  holdpointAt,
  inlineTexts,
  operands,
  writesFromText,
} from "./arguments.ts";
import { ANY } from "./any.ts";
import { assignment, expand } from "./expand.ts";
import { passedOn, readFd, readFind } from "./find.ts";
import type { Searched } from "./find.ts";
import { linesBy, readInline, unpacks, writes } from "./inline.ts";
import { listedBy, printedBy } from "./listed.ts";
import { couldBe } from "./paths.ts";
import {
  FIXERS,
  INTERPRETERS,
  isProgram,
  MAY_STAY,
  programName,
  READERS,
  RESERVED,
  RUN_VARIABLES,
  RUNNERS,
  RUNS_INPUT,
  SHELLS,
  STARTS,
} from "./programs.ts";
import type { Deed, How, Scope, ShellCall } from "./deeds.ts";
import { startedBy } from "./runner.ts";
import { packsToOutput, patchedBy } from "./unpack.ts";
import { takeApart } from "./words.ts";
import type { Command, Piece } from "./words.ts";
import { outputsOf, writtenBy } from "./written.ts";

const DEEDS_MAX = 2_000;
const DEPTH_MAX = 6;

export function deedsOf(call: ShellCall): readonly Deed[] {
  const goes = new Walker(call, 0);
  goes.walk();
  // If a `cd` fails, the following commands run in the old folder. So everything is judged a second time as if it
  // did.
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
  /** Variables set or removed for what follows. */
  private readonly changed: string[] = [];
  /** The paths printed by the previous command. */
  private listed: readonly string[] = [ANY];

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

  /** It cannot be determined what is run here. */
  private unclear(text: string, hidden = unpacks(text)): void {
    const { cwd } = this.scope;
    this.deeds.push({ kind: "unclear", text, cwd });
    if (hidden) this.deeds.push({ kind: "anywhere", cwd });
  }

  private write(path: string, tree = false, could = path.endsWith(ANY)): void {
    if (path === "" || /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(path)) return;
    if (path === ANY) this.unclear(this.call.command, true);
    else this.deeds.push({ kind: "write", path, tree, could, cwd: this.scope.cwd });
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
      this.set(made.name, this.texts([made.value]));
    }
    const words = this.texts(item.words.slice(at));
    if (words.length === 0) this.changed.push(...env);
    this.run(words, { env: [...this.changed, ...env], fed: item.fed, piped: item.piped });
    this.listed = listedBy(words, item.piped ? this.listed : undefined);
  }

  private set(name: string, values: readonly string[]): void {
    this.scope.variables.set(name, values);
    if (RUN_VARIABLES.test(name)) for (const value of values) this.inner(value);
  }

  private texts(words: Command["words"]): readonly string[] {
    const known = words.map((word) => word.map((piece) => this.printed(piece)));
    return known.flatMap((word) => expand(word, this.scope.variables, this.call.home));
  }

  /** The output of a command substitution is treated like the value of a variable. */
  private printed(piece: Piece): Piece {
    const { variables } = this.scope;
    if (piece.kind !== "any" || piece.of === undefined) return piece;
    variables.set(
      piece.of,
      printedBy(piece.of, (word) => expand(word, variables, this.call.home)),
    );
    return { kind: "variable", name: piece.of };
  }

  private run(words: readonly string[], how: How): void {
    const start = words.findIndex((word) => !RESERVED.has(word));
    const [first, ...args] = start < 0 ? [] : words.slice(start);
    if (first === undefined) return;
    const name = programName(first);
    const ours = holdpointAt(first, args);
    if (/\S\s/.test(first)) this.inner(first); // `$X` that contains a whole command.
    if (name === "function") this.run(args.slice(1), how);
    else if (first.includes(ANY)) {
      this.unclear(this.call.command);
      this.unknownProgram(args, how);
    } else if (ours >= 0 || couldBe(name, "holdpoint"))
      this.deeds.push({ kind: "holdpoint", args: args.slice(Math.max(ours, 0)), env: how.env });
    else if (name === "for" || name === "select") this.loop(args);
    else if (/^(?:export|local|declare|readonly|typeset|unset)$/.test(name)) this.declare(args);
    else if (name === "cd" || name === "pushd") this.move(args);
    else if (name === "git") this.git(args, how);
    else if (SHELLS.has(name)) this.shell(name, args, how);
    else if (Object.hasOwn(INTERPRETERS, name)) this.interpret(name, args, how);
    else if (Object.hasOwn(RUNNERS, name)) this.runner(name, args, how);
    else if (name === "find") this.search(readFind(args), how);
    else if (name === "fd" || name === "fdfind") this.search(readFd(args), how);
    else this.plain(name, args, how);
  }

  private plain(name: string, args: readonly string[], how: How): void {
    for (const command of commandsGiven(name, args)) this.inner(command);
    const written = [...writtenBy(name, args), ...patchedBy(name, args, how.fed)];
    if (written.length > 0)
      for (const { path, tree, could } of written) this.write(path, tree, could);
    else if (writesFromText(name, args)) this.unclear(args.join(" "));
    else if (name === "trap" || name === "alias")
      for (const arg of args) this.inner(arg.replace(/^\w+=/, ""));
    else if ((name === "source" || name === ".") && args.some((arg) => arg.includes(ANY)))
      this.unclear(this.call.command);
    else {
      for (const path of outputsOf(name, args)) this.write(path);
      const reads = READERS.has(name) || packsToOutput(name, args);
      if (!reads) this.unknownProgram(args, how);
    }
  }

  private git(args: readonly string[], how: How): void {
    this.deeds.push({ kind: "git", args, cwd: this.scope.cwd, env: how.env });
    for (const command of commandsSet(args)) this.inner(command);
    const runs = args.findIndex((arg) => arg === "foreach" || arg === "--exec" || arg === "-x");
    if (runs >= 0) this.inner(args.slice(runs + 1).join(" "));
  }

  /** The words of a loop are the possible values of its variable. */
  private loop([name = "", ...words]: readonly string[]): void {
    const given = this.scope.variables.get("@") ?? [ANY];
    this.scope.variables.set(name, words[0] === "in" ? words.slice(1) : given);
  }

  private declare(args: readonly string[]): void {
    for (const arg of args) {
      this.changed.push(arg.split("=")[0] ?? "");
      const [whole, name] = /^([A-Za-z_]\w*)=/.exec(arg) ?? [];
      if (whole !== undefined && name !== undefined) this.set(name, [arg.slice(whole.length)]);
    }
  }

  private move(args: readonly string[]): void {
    if (this.call.stays === true) return;
    const [to = this.call.home] = operands(args);
    this.scope.cwd =
      to === "-" ? ANY : to.startsWith("/") || to.startsWith(ANY) ? to : `${this.scope.cwd}/${to}`;
    this.scope.variables.set("PWD", [this.scope.cwd]);
  }

  /** An unknown program may write the paths it gets, and run texts that look like commands. */
  private unknownProgram(args: readonly string[], how?: How): void {
    for (const arg of args) {
      const path = /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? arg;
      if (/\s/.test(path)) this.deeds.push({ kind: "names-in", text: path });
      // A path with an unknown end could be anything, so only complete paths count.
      else if (!path.endsWith(ANY) && !path.startsWith("-"))
        this.deeds.push({ kind: "names", path, cwd: this.scope.cwd });
    }
    // `uv run python -c ...`, `poetry run git ...`: the program it starts.
    const runs = args.findIndex((arg) => STARTS.test(arg));
    const at = args.findIndex((arg, index) => index > runs && isProgram(programName(arg)));
    const known = runs >= 0 || programName(args[at] ?? "") === "holdpoint";
    if (known && at >= 0 && how !== undefined) this.run(args.slice(at), { ...how, piped: false });
    for (const text of how?.fed ?? []) this.deeds.push({ kind: "names-in", text });
    if (how?.piped === true && RUNS_INPUT.test(this.call.command)) this.unclear(this.call.command);
  }

  private shell(name: string, args: readonly string[], how: How): void {
    const at = args.findIndex((arg) => /^-\w*c$/.test(arg) || /^-command$/i.test(arg));
    const script = args.includes("-s") ? [] : operands(args);
    if (name === "script") this.write(operands(args, /^-c$/)[0] ?? "");
    if (name === "eval") this.inner(args.join(" "));
    else if (at >= 0) this.inner(args[at + 1] ?? "", args.slice(at + 2));
    else if (how.fed.length > 0) for (const text of how.fed) this.inner(text);
    else if (script.length === 0) {
      if (how.piped) this.unclear(this.call.command, true);
    } else {
      if (script[0]?.includes(ANY) === true) this.unclear(this.call.command);
      this.unknownProgram(script.slice(1));
    }
  }

  /** A text that a shell runs as commands again. */
  private inner(command: string, given: readonly string[] = []): void {
    if (command.includes(ANY)) this.unclear(this.call.command);
    const words = given.map((word, index) => [`${index}`, [word]] as const);
    const all = given.length === 0 ? [] : ["@", "*"].map((name) => [name, given.slice(1)] as const);
    const variables = new Map([...this.scope.variables, ...all, ...words]);
    const call = { ...this.call, command, cwd: this.scope.cwd };
    const walker = new Walker(call, this.depth + 1, variables);
    walker.walk();
    this.deeds.push(...walker.deeds);
  }

  private interpret(name: string, args: readonly string[], how: How): void {
    const lines = linesBy(name, args);
    if (lines === "written")
      for (const path of operands(args, INTERPRETERS[name])) this.write(path);
    const at = args.findIndex((arg) => INTERPRETERS[name]?.test(arg) === true);
    const fed = [...how.fed, ...(at >= 0 ? [args.slice(at + 1).join(" ")] : [])];
    for (const text of [...fed, ...inlineTexts(args)])
      if (lines !== "printed" || writes(text)) this.program(text);
    if (fed.length === 0 && how.piped && operands(args).length === 0)
      this.unclear(this.call.command);
    const [script = "", ...words] = at < 0 ? operands(args) : [];
    if (Object.hasOwn(FIXERS, programName(script)))
      this.plain(programName(script), args.slice(args.indexOf(script) + 1), how);
    else this.unknownProgram(words);
  }

  private program(text: string): void {
    const { runs, paths, tree, typed, command } = readInline(text);
    this.unclear(text, runs && unpacks(text));
    for (const path of paths) this.write(path, tree, true);
    for (const one of typed) this.inner(one);
    this.run(command, { env: this.changed, fed: [], piped: false });
  }

  private runner(name: string, args: readonly string[], how: How): void {
    const { words, env, directory, split } = startedBy(name, args);
    const changed = { ...how, env: [...how.env, ...env] };
    for (const path of outputsOf(name, args.slice(0, -words.length))) this.write(path);
    if (directory !== undefined) this.move([directory]);
    if (split !== undefined) this.inner(split);
    const passes = (name === "xargs" || name === "parallel") && how.given !== true;
    const given = how.piped ? this.listed : [ANY];
    if (name === "watch") this.inner(words.join(" "));
    else if (!passes) this.run(words, changed);
    else for (const one of passedOn(words, given)) this.run(one, { ...changed, given: true });
  }

  private search({ removed, tree, written, runs }: Searched, how: How): void {
    for (const path of removed) this.write(path, tree);
    for (const path of written) this.write(path);
    for (const words of runs) this.run(words, { ...how, given: true });
  }
}
