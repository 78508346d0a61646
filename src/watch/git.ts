/** What git may do while something is held: a table of the verbs that would bypass Holdpoint, with reasons. */
import { operands } from "./arguments.ts";
import type { Place } from "./watch.ts";
import type { Who } from "./who.ts";

export interface GitVerb {
  readonly verb: string;
  /** Only if one of its words matches. Without this, always. */
  readonly with?: RegExp;
  /** Not if one of its words matches. */
  readonly without?: RegExp;
  /** Where it is denied: everywhere, or only where the engine makes the commits. */
  readonly where: "any" | "kept";
  readonly code: string;
  readonly why: string;
}

function any(verb: string, code: string, why: string, words: Partial<GitVerb> = {}): GitVerb {
  return { verb, where: "any", code, why, ...words };
}

function kept(verb: string, code: string, why: string, words: Partial<GitVerb> = {}): GitVerb {
  return { verb, where: "kept", code, why, ...words };
}

const MOVES = "moves a branch past what was reported and judged";
const NAMES = "moves or removes a name under which others find a commit";
const HISTORY = "rewrites history that the record names";
const INDEX = "changes what git believes is there without changing the files";
const OBJECTS = "makes commits or trees by hand that no record wanted";
const UNSEEN = "takes changes away or brings them in without their being reported";

export const GIT_VERBS: readonly GitVerb[] = [
  any("update-ref", "git-ref-moved", MOVES),
  any("symbolic-ref", "git-ref-moved", MOVES, { with: /^refs\// }),
  any("branch", "git-branch-forced", MOVES, {
    with: /^(?:-(?!-)[a-zA-Z]*[fMC][a-zA-Z]*|--force)$/,
  }),
  any("push", "git-ref-moved", MOVES, { with: /^\.\/?$/ }),
  any("checkout", "git-branch-forced", MOVES, { with: /^-(?!-)[a-zA-Z]*B/ }),
  any("switch", "git-branch-forced", MOVES, { with: /^(?:-(?!-)[a-zA-Z]*C|--force-c[a-z]*)/ }),
  any("tag", "git-tag-moved", NAMES, {
    with: /^(?:-(?!-)[a-zA-Z]*[fd][a-zA-Z]*|--fo[a-z]*|--de[a-z]*)$/,
  }),
  any("push", "git-push-forced", MOVES, {
    with: /^(?:-\w*[fd]\w*|--f[a-z-]*(?:=.*)?|--mir[a-z]*|--de[a-z]*|--pr[a-z]*|\+.*|:.+)$/,
  }),
  any("fetch", "git-ref-moved", MOVES, { with: /^[^-].*:(?!refs\/remotes\/)/ }),
  any("pull", "git-ref-moved", MOVES, { with: /^(?:-f|--force|[^-].*:.*)$/ }),
  any("replace", "git-history", HISTORY),
  any("filter-branch", "git-history", HISTORY),
  any("filter-repo", "git-history", HISTORY),
  any("fast-import", "git-history", HISTORY),
  any("reflog", "git-history", HISTORY, { with: /^(?:expire|delete)$/ }),
  any("prune", "git-history", HISTORY),
  any("gc", "git-history", HISTORY, { with: /^--prune(?:=.*)?$/ }),
  any("hash-object", "git-by-hand", OBJECTS, { with: /^-\w*w/ }),
  any("commit-tree", "git-by-hand", OBJECTS),
  any("mktree", "git-by-hand", OBJECTS),
  any("write-tree", "git-by-hand", OBJECTS),
  any("unpack-objects", "git-by-hand", OBJECTS),
  any("update-index", "git-index", INDEX),
  any("read-tree", "git-index", INDEX),
  any("checkout-index", "git-index", INDEX),
  any("sparse-checkout", "git-index", INDEX, { without: /^list$/ }),
  any("worktree", "git-foreign", "may take a place of work away from its owner", {
    with: /^(?:prune|repair)$/,
  }),
  any("worktree", "git-branch-forced", MOVES, {
    with: /^(?:-(?!-)[a-zA-Z]*[fB][a-zA-Z]*|--fo[a-z]*)$/,
  }),
  any("commit", "git-unchecked", "commits without the checks that the repository has", {
    with: /^(?:--no-v[a-z]*|-(?!-)[a-zA-Z]*n[a-zA-Z]*)$/,
  }),
  any("config", "git-config", "changes how git works, its hooks among it", {
    with: /^(?:core|alias|filter|include|includeIf|extensions|hook|gpg|diff|merge|submodule|remote\.[^.]*\.(?:push|mirror))\b.*$/i,
    without: /^(?:--get.*|-l|--list|get|list)$/,
  }),
  kept("commit", "git-history", HISTORY, { with: /^(?:--am[a-z]*|--fix.*|--sq.*)$/ }),
  kept("reset", "git-reset", UNSEEN, {
    with: /^(?:--h[a-z]*|--me[a-z]*|--k[a-z]*|--s[a-z]*|--mi[a-z]*|[^-].*[~^].*|(?:origin|upstream)\/.*|[0-9a-f]{7,40}|ORIG_HEAD|@\{.*)$/,
  }),
  kept("branch", "git-ref-moved", MOVES, { with: /^(?:-(?!-)[a-zA-Z]*m[a-zA-Z]*|--mov[a-z]*)$/ }),
  kept("rebase", "git-ref-moved", MOVES),
  kept("merge", "git-ref-moved", MOVES),
  kept("cherry-pick", "git-ref-moved", MOVES),
  kept("revert", "git-ref-moved", MOVES),
  kept("am", "git-ref-moved", MOVES),
  kept("pull", "git-ref-moved", MOVES),
  kept("bisect", "git-switched", "puts another commit in place of the one that was handed out"),
  kept("checkout", "git-reset", UNSEEN, { with: /^(?:-(?!-)[a-zA-Z]*f[a-zA-Z]*|--fo[a-z]*)$/ }),
  kept("switch", "git-switched", "puts another branch in place of the one that was handed out"),
  kept("stash", "git-stash", UNSEEN, { without: /^(?:list|show)$/ }),
  kept("clean", "git-clean", UNSEEN, { without: /^(?:-n|--dry-run|-\w*n\w*)$/ }),
  kept("apply", "git-apply", UNSEEN, { without: /^(?:--check|--stat|--numstat|--summary)$/ }),
];

export interface GitCall {
  /** The words before the verb that change where or how git works. */
  readonly directory: string | undefined;
  readonly settings: readonly string[];
  /** It is told to use other files than those of this place. */
  readonly elsewhere: boolean;
  readonly verb: string;
  readonly args: readonly string[];
}

export function readGit(words: readonly string[], env: readonly string[]): GitCall {
  let directory: string | undefined;
  let elsewhere = env.some((name) =>
    /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|CONFIG\w*|NAMESPACE|COMMON_DIR)$/.test(name),
  );
  const settings: string[] = [];
  let at = 0;
  for (; at < words.length && words[at]?.startsWith("-") === true; at += 1) {
    const word = words[at] ?? "";
    const next = words[at + 1] ?? "";
    if (word === "-C")
      directory = directory === undefined || next.startsWith("/") ? next : `${directory}/${next}`;
    else if (word === "-c" || word === "--config-env") settings.push(next);
    else if (/^--(?:git-dir|work-tree|namespace|exec-path)/.test(word)) elsewhere = true;
    if (/^(?:-C|-c|--config-env|--git-dir|--work-tree|--namespace)$/.test(word)) at += 1;
  }
  const [verb = "", ...args] = words.slice(at);
  return { directory, settings, elsewhere, verb, args };
}

const READING =
  /^(?:status|log|diff|show|blame|annotate|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|cat-file|describe|shortlog|name-rev|merge-base|for-each-ref|show-ref|show-branch|count-objects|var|version|help|check-ignore|check-attr|diff-tree|diff-files|diff-index|whatchanged|cherry|range-diff|fsck|archive|remote|)$/;

export function readsOnly({ verb }: GitCall): boolean {
  return READING.test(verb);
}

export interface GitDenial {
  readonly code: string;
  readonly why: string;
}

/** Why this git command is not allowed here. */
export function judgeGit(call: GitCall, place: Place, who: Who): GitDenial | undefined {
  if (readsOnly(call)) return undefined;
  if (call.elsewhere)
    return { code: "git-elsewhere", why: "is told to use other files than those of this place" };
  if (call.settings.some((one) => /^(?:core|alias|filter|include|hook|gpg)\b/i.test(one)))
    return { code: "git-config", why: "changes how git works, its hooks among it" };
  const row = GIT_VERBS.find((one) => one.verb === call.verb && fits(one, call, place));
  if (row !== undefined) return row;
  if (place.git === "locked") return judgeLocked(call, place, who);
  return place.git === "kept" && switches(call)
    ? { code: "git-switched", why: "puts another branch in place of the one that was handed out" }
    : undefined;
}

function fits(row: GitVerb, { args }: GitCall, { git }: Place): boolean {
  if (row.where === "kept" && git !== "kept") return false;
  if (row.without !== undefined && args.some((arg) => row.without?.test(arg))) return false;
  return row.with === undefined || args.some((arg) => row.with?.test(arg));
}

const LOCKED_VERBS =
  /^(?:worktree|branch|fetch|add|commit-graph|gc|maintenance|tag|notes|config|lfs)$/;

/** Allowed are reading and worktrees, and for the holder of the lock whatever moves its work forward. */
function judgeLocked({ verb, args }: GitCall, place: Place, who: Who): GitDenial | undefined {
  const { holder, branches = [] } = place;
  if (LOCKED_VERBS.test(verb) || (verb === "stash" && /^(?:list|show)$/.test(args[0] ?? "")))
    return undefined;
  if (/^(?:checkout|switch)$/.test(verb) && args.some((arg) => branches.includes(arg)))
    return { code: "main-branch", why: "would leave the branch that the main worktree stays on" };
  const forward =
    (verb === "merge" && args.includes("--ff-only")) ||
    /^(?:pull|checkout|switch|push)$/.test(verb);
  if (!forward) return { code: "git-main-verb", why: "is not done on the main worktree" };
  if (holder !== undefined && who.sessions.includes(holder)) return undefined;
  return { code: "main-lock-missing", why: "on the main worktree needs its lock" };
}

/** A worktree or branch that somebody uses and that this command would remove or rename. */
export function takenAway(
  { verb, args }: GitCall,
  places: readonly Place[],
  rootsAt: (path: string) => boolean,
): GitDenial | undefined {
  const removes = verb === "worktree" && /^(?:add|remove|move)$/.test(args[0] ?? "");
  const why = "would take a place of work away from its owner";
  if (removes && operands(args.slice(1)).some(rootsAt)) return { code: "git-foreign", why };
  const names = places.flatMap(({ branches = [] }) => branches);
  if (verb === "tag" && [...names, ...USUAL].includes(tagged(args)))
    return { code: "git-tag-moved", why: "makes a tag that git takes for the branch of that name" };
  const takes =
    (verb === "worktree" && args[0] === "add") ||
    (verb === "branch" && args.some((arg) => /^(?:-(?!-)[a-zA-Z]*[dDm]|--de|--mov)/.test(arg)));
  return takes && operands(args).some((name) => names.includes(name))
    ? { code: "git-foreign", why }
    : undefined;
}

const USUAL: readonly string[] = ["main", "master", "trunk", "HEAD"];

/** The name of a new tag; empty if tags are only listed. */
function tagged(args: readonly string[]): string {
  const lists =
    /^(?:-[lnv]\d*|--(?:list|contains|no-contains|merged|no-merged|points-at|sort|format|verify)(?:=.*)?)$/;
  if (args.some((arg) => lists.test(arg))) return "";
  const [name = ""] = operands(args, /^(?:-[mFu]|--(?:message|file|local-user|cleanup))$/);
  return name.replace(/^heads\//, "");
}

/** Whether `checkout` switches branches, as far as its words tell that apart from restoring files. */
function switches({ verb, args }: GitCall): boolean {
  if (verb !== "checkout") return false;
  if (args.some((arg) => /^-(?:b|B|-orphan|-detach)/.test(arg))) return true;
  if (args.includes("--")) return false;
  const [first, ...more] = operands(args);
  return (
    first !== undefined &&
    more.length === 0 &&
    !/[./]/.test(first.replace(/^[^/]*\/(?=[^.]*$)/, ""))
  );
}

/** Files that git itself would write or remove, as far as the words name them. */
export function gitPaths({ verb, args }: GitCall): {
  readonly paths: readonly string[];
  readonly tree: boolean;
} {
  const after = args.includes("--") ? args.slice(args.indexOf("--") + 1) : undefined;
  switch (verb) {
    case "rm":
    case "mv":
      return { paths: operands(args), tree: true };
    case "restore":
      return args.includes("--staged") && !args.includes("--worktree") && !args.includes("-W")
        ? { paths: [], tree: false }
        : { paths: after ?? operands(args, /^(?:-s|--source)$/), tree: true };
    case "checkout":
      return { paths: after ?? operands(args).filter((one) => /[./]/.test(one)), tree: true };
    case "clean":
      return { paths: after ?? operands(args, /^(?:-e|--exclude)$/), tree: true };
    case "format-patch":
      return { paths: outputs(args).map((folder) => `${folder}/*`), tree: false };
    case "bundle":
      return {
        paths: args[0] === "create" ? operands(args.slice(1)).slice(0, 1) : [],
        tree: false,
      };
    default:
      return { paths: outputs(args), tree: false };
  }
}

function outputs(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg === "-o" || arg === "--output") return args[index + 1] ?? [];
    return /^--output(?:-directory)?=(.+)$/.exec(arg)?.[1] ?? [];
  });
}
