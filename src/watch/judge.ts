/** Decides whether a tool may be used now. Pure, and called before every use. Reading is never denied. */
import { ALLOWED } from "./call.ts";
import type { Denial, HookCall, ToolUse, Verdict } from "./call.ts";
import type { Deed } from "./deeds.ts";
import { gitPaths, judgeGit, readGit, readsOnly, takenAway } from "./git.ts";
import type { GitCall } from "./git.ts";
import { judgeHoldpoint, personalIn } from "./holdpoint.ts";
import { onlyReads, writes } from "./inline.ts";
import { STORE_OWNED, settingsDenial } from "./own.ts";
import { isBelow, namesOf, patternNames, walked } from "./paths.ts";
import type { Names } from "./paths.ts";
import { judgeNamed, judgePath, mentioned, placeOf, wholePlace, workflowsIn } from "./places.ts";
import type { Judging } from "./places.ts";
import { deedsOf } from "./shell.ts";
import { namedIn, readUnknown } from "./unknown.ts";
import type { Place, Watch } from "./watch.ts";
import { isFor, whoActs } from "./who.ts";

/** Facts that only the caller can know. */
export interface Facts {
  readonly home: string;
  /** The directory of this program; empty if it does not matter. */
  readonly program: string;
  /** Other paths that start it: the project's own links to it. */
  readonly starters?: readonly string[];
  /** The name of the session, if the environment gives one. */
  readonly session?: string | undefined;
  /** Resolves the links in the existing part of a path. */
  readonly resolve: (path: string) => string;
  /** Whether a folder is in a worktree of the repository being judged. */
  readonly belongs?: (path: string) => boolean;
}

const REASONS_MAX = 2;

export function judge(watch: Watch, call: HookCall, facts: Facts): Verdict {
  if (watch.places.length === 0) return judgeStore(watch, call, facts);
  const who = whoActs(watch, call, facts.session);
  const judging: Judging = { watch, who, facts };
  const found = call.event === "settings" ? [settingsDenial(call.file)] : judgeTool(judging, call);
  const reasons = [...new Map(found.map((one) => [`${one.code} ${one.message}`, one])).values()];
  if (reasons.length === 0) return ALLOWED;
  return { kind: "deny", reasons: reasons.slice(0, REASONS_MAX).map((one) => cited(watch, one)) };
}

/** If nothing is held, only existing journals are protected; everything else is free. */
function judgeStore(watch: Watch, call: HookCall, facts: Facts): Verdict {
  if (call.event === "settings") return ALLOWED;
  const own = { ...watch, own: watch.own.slice(0, 1) };
  const who = whoActs(own, call, facts.session);
  const found = judgeTool({ watch: own, who, facts }, call);
  const [denial] = found.filter(({ code }) => code === STORE_OWNED);
  return denial === undefined ? ALLOWED : { kind: "deny", reasons: [cited(watch, denial)] };
}

function cited({ cites }: Watch, denial: Denial): Denial {
  const rule = Object.hasOwn(cites, denial.code) ? cites[denial.code] : undefined;
  return denial.rule === "core" && rule !== undefined ? { ...denial, rule } : denial;
}

/** An unreadable payload is denied if anything is held, with the reason. */
export function judgeUnreadable(watch: Watch, why: string): Verdict {
  if (watch.places.length === 0) return ALLOWED;
  return { kind: "deny", reasons: [cited(watch, internalError(why))] };
}

export function internalError(why: string): Denial {
  return {
    code: "internal_error",
    rule: "core",
    message: `This cannot be judged, and something is held here: ${why}.`,
    fix: "Try it in a plainer form, or ask holdpoint status what is held.",
    lift: "a person does it in a terminal of their own; holdpoint doctor says whether the hooks work.",
  };
}

/** A worktree for which it cannot be determined what is held: any write there could touch it. */
export function unknownPlace(root: string, why: string): Place {
  const words = internalError(why);
  return {
    from: "",
    root,
    git: "kept",
    rules: [{ kind: "engine", paths: ["**"], workflow: "something", ...words }],
  };
}

function judgeTool(judging: Judging, call: HookCall): readonly Denial[] {
  const { tool, cwd } = call;
  if (tool === undefined) return [internalError("the client does not say which tool is used")];
  switch (tool.kind) {
    case "read":
    case "agent":
      return [];
    case "edit":
      if (tool.paths.length === 0) return [internalError("the edit names no file")];
      return tool.paths.flatMap((path) => judgeWrite(judging, { path, cwd }));
    case "shell":
      return judgeShell(judging, tool, cwd);
    case "mcp":
    case "unknown":
      return judgeUnknown(judging, tool, cwd);
  }
}

type Writing = Pick<Extract<Deed, { kind: "write" }>, "path" | "cwd"> & {
  readonly tree?: boolean;
  readonly could?: boolean;
};

/** A path is judged both as given and with its links resolved, because removing a link is a change too. */
function judgeWrite(
  judging: Judging,
  { path, cwd, tree = false, could = false }: Writing,
): readonly Denial[] {
  const denial = bothWays(judging, path, cwd, tree)
    .map((names) => judgePath(judging, names, could))
    .find((one) => one !== undefined);
  return denial === undefined ? [] : [denial];
}

function bothWays({ facts }: Judging, path: string, cwd: string, tree: boolean): readonly Names[] {
  const given = path.replace(/^~(?=\/|$)/, facts.home);
  const ways = [given, walked(given, cwd, facts.resolve)].map((one) => namesOf(one, cwd));
  const below = tree ? ["**"] : [];
  const [typed, gone] = ways.map((one) => one.join("/"));
  return ways.slice(0, typed === gone ? 1 : 2).flatMap((names) => [
    [...names, ...below],
    [...resolved(names, facts), ...below],
  ]);
}

/** The known part of a path with its links resolved. */
function resolved(names: Names, facts: Judging["facts"]): Names {
  const open = names.findIndex((name) => name.includes("*"));
  const known = open < 0 ? names : names.slice(0, open);
  const rest = open < 0 ? [] : names.slice(open);
  const led = facts.resolve(`/${known.join("/")}`).split("/");
  return [...led.filter((one) => one !== ""), ...rest];
}

function judgeShell(
  judging: Judging,
  { command, cwd: given }: Extract<ToolUse, { kind: "shell" }>,
  cwd: string,
): readonly Denial[] {
  const { home, resolve } = judging.facts;
  const start = given === undefined ? cwd : given.startsWith("/") ? given : `${cwd}/${given}`;
  const deeds = deedsOf({ command, cwd: resolve(start), home });
  const denials: Denial[] = [];
  for (const deed of deeds) {
    denials.push(...judgeDeed(judging, deed));
    if (denials.length >= REASONS_MAX) break;
  }
  return denials;
}

function judgeDeed(judging: Judging, deed: Deed): readonly Denial[] {
  switch (deed.kind) {
    case "write":
      return judgeWrite(judging, deed);
    case "anywhere":
      return judgeAnywhere(judging, deed.cwd);
    case "names": {
      const denial = bothWays(judging, deed.path, deed.cwd, false)
        .map((names) => judgeNamed(judging, names, namesOf(".", deed.cwd)))
        .find((one) => one !== undefined);
      return denial === undefined ? [] : [denial];
    }
    case "names-in": {
      const named = personalIn(deed.text) ?? mentioned(judging, deed.text);
      return named === undefined ? [] : [named];
    }
    case "git":
      return judgeGitDeed(judging, deed);
    case "holdpoint":
      return judgeHoldpoint(deed.args, deed.env);
    case "unclear":
      return judgeUnclear(judging, deed.text, deed.cwd);
  }
}

/** Any file may be meant, including one that is held. */
function judgeAnywhere(judging: Judging, cwd: string): readonly Denial[] {
  const place = placeOf(judging, namesOf(".", cwd));
  const held = place?.rules.find((rule) => rule.kind !== "allowed" && isFor(rule, judging.who));
  if (held === undefined) return [];
  const [path = ""] = held.paths;
  return [
    {
      code: "path-unknown",
      rule: "core",
      message: `It cannot be told which file this writes, and ${path} of ${held.workflow} is held here.`,
      fix: "Name the file in the command itself.",
      lift: "a person runs it in a terminal of their own.",
    },
  ];
}

function judgeGitDeed(
  judging: Judging,
  { args, cwd, env }: Extract<Deed, { kind: "git" }>,
): readonly Denial[] {
  const call = readGit(args, env);
  const { resolve } = judging.facts;
  const at = call.directory === undefined ? cwd : walked(call.directory, cwd, resolve);
  const place = placeOf(judging, namesOf(".", resolve(at))) ?? besides(judging, at, call);
  const { paths, tree } = gitPaths(call);
  const written = paths.flatMap((path) => judgeWrite(judging, { path, cwd: at, tree }));
  const { places } = judging.watch;
  const rootsAt = (path: string): boolean =>
    bothWays(judging, path, at, false).some((names) =>
      places.some(({ root }) => isBelow(patternNames(root, ""), names)),
    );
  const found =
    takenAway(call, places, rootsAt) ??
    (place === undefined ? undefined : judgeGit(call, place, judging.who));
  if (place === undefined || found === undefined)
    return [...written, ...foreignPlace(judging, call, at)];
  const held = workflowsIn(place).join(", ");
  return [
    {
      code: found.code,
      rule: "core",
      message: `git ${call.verb} ${found.why}, and ${held} is under way in ${place.root}.`,
      fix: "Report the work; the engine makes the commits, merges and worktrees that follow from it.",
      lift: "a person runs it in a terminal of their own, and then holdpoint reconcile.",
    },
    ...written,
  ];
}

/** Another worktree of the same repository: its files are free, but the branches are shared. */
function besides({ watch, facts }: Judging, at: string, call: GitCall): Place | undefined {
  const [known] = watch.places;
  if (known === undefined) return undefined;
  // The command names the repository it works on, and what is held was looked up for that reason.
  if (call.elsewhere) return known;
  if (facts.belongs?.(at) !== true) return undefined;
  return { ...known, root: at, git: "free" };
}

/** A worktree that belongs to somebody else as a whole; git must not write there either. */
function foreignPlace(judging: Judging, call: GitCall, at: string): readonly Denial[] {
  if (readsOnly(call)) return [];
  const place = placeOf(judging, namesOf(".", at));
  const whole = place?.git === "free" ? wholePlace(judging, namesOf(".", at)) : undefined;
  return whole === undefined ? [] : [whole];
}

/** A construct that cannot be parsed: only what it names, and where it runs, can be judged. */
function judgeUnclear(judging: Judging, text: string, cwd: string): readonly Denial[] {
  const asked = personalIn(text);
  if (asked !== undefined) return [asked];
  if (onlyReads(text)) return [];
  const named = mentioned(judging, text);
  if (named !== undefined) return [named];
  if (!writes(text)) return [];
  const whole = wholePlace(judging, namesOf(".", cwd));
  return whole === undefined ? [] : [whole];
}

/** An unknown tool, or one of another server: it may write what its input names, or run it. */
function judgeUnknown(
  judging: Judging,
  tool: Extract<ToolUse, { kind: "mcp" | "unknown" }>,
  cwd: string,
): readonly Denial[] {
  const found = readUnknown(tool, cwd).flatMap((one) => {
    if (one.kind === "git") return judgeGitDeed(judging, one);
    if (one.kind === "shell") return judgeShell(judging, one, cwd);
    return judgeWrite(judging, { path: one.path, cwd });
  });
  const named = mentioned(judging, namedIn(tool));
  return [...found, ...(named === undefined ? [] : [named])];
}
