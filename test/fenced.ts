/** Branches, commits and what came along with them, in memory: what a fence judges by, without git and without keys. */
import { REPOSITORY } from "../src/core/state/policy.ts";
import { statementText } from "../src/core/decide/decisions/statement.ts";
import type { Statement } from "../src/core/decide/decisions/statement.ts";
import { canonicalJson } from "../src/core/values/json.ts";
import type { JsonObject } from "../src/core/values/json.ts";
import type { CommitFacts, FenceHook, Fencing, Logged, Stands } from "../src/ports/fence.ts";
import type { Signatures } from "../src/ports/signatures.ts";
import { putFence } from "../src/engine/fence/put.ts";
import { readSavepoint } from "../src/engine/show/prepare.ts";
import { repositoryFamily } from "../src/protocols/repository/index.ts";
import { sha256 } from "./memory-parts.ts";
import { ADA, press } from "./press.ts";
import type { Press, PressOptions } from "./press.ts";

export const MAIN = "refs/heads/main";
export const HOOK: FenceHook = {
  directory: "hooks",
  files: { "reference-transaction": "1" },
  path: null,
};

/** The id of a commit, by its name in a test. */
export function oid(name: string): string {
  return name === "" ? "" : sha256(name).slice(0, 40);
}

export interface Around {
  readonly commits: Map<string, CommitFacts>;
  readonly stands: Map<string, Partial<Stands>>;
  readonly logged: Map<string, readonly Logged[]>;
  /** Releases by the commit they came along with. */
  readonly carried: Map<string, string[]>;
  /** Files by `commit:path`. */
  readonly files: Map<string, string>;
  /** Calls of what changes something, in order. */
  readonly did: string[];
  readonly fencing: Fencing;
}

export function around(more: Partial<Fencing> = {}): Around {
  const commits: Around["commits"] = new Map();
  const stands: Around["stands"] = new Map();
  const logged: Around["logged"] = new Map();
  const carried: Around["carried"] = new Map();
  const files: Around["files"] = new Map();
  const did: string[] = [];
  let kept = "";
  const nowhere: Stands = { oid: "", symbolic: "", packed: "", locked: false };
  const fencing: Fencing = {
    look: async () => [],
    plan: async () => HOOK,
    put: async (refs) => (did.push(`put ${refs.join(" ")}`), HOOK),
    take: async () => void did.push("take"),
    stands: async (ref) => ({ ...nowhere, ...stands.get(ref) }),
    commits: async (oids) => new Map([...commits].filter(([one]) => oids.includes(one))),
    resolve: async (name) => [...commits.keys()].find((one) => name !== "" && one.startsWith(name)),
    logged: (ref) => logged.get(ref) ?? [],
    carried: async (one, brought) => [
      ...(carried.get(one) ?? []),
      ...brought.flatMap(({ ref }) => carried.get(ref) ?? []),
    ],
    carry: async (one, name, text) => {
      did.push(`carry ${name}`);
      carried.set(one, [...(carried.get(one) ?? []), text]);
      return true;
    },
    committed: async (commit, path) => files.get(`${commit}:${path}`) ?? "",
    range: async (range) => {
      const [from = "", to = ""] = range.split("..");
      const found: string[] = [];
      for (let at = to; at !== from;) {
        const commit = commits.get(at);
        if (commit === undefined) return undefined;
        found.unshift(at);
        at = commit.parents[0] ?? from;
      }
      return found;
    },
    line: async (tip, countMax) => {
      const found: string[] = [];
      for (let at: string | undefined = tip; at !== undefined && found.length < countMax;) {
        const commit = commits.get(at);
        if (commit === undefined) break;
        found.push(at);
        at = commit.parents[0];
      }
      return found;
    },
    isShallow: () => false,
    stamp: (hook, refs) => canonicalJson([hook, ...refs.map((ref) => stands.get(ref)?.oid ?? "")]),
    recall: () => kept,
    keep: (stamp) => {
      did.push(`keep ${stamp === "" ? "nothing" : "a stamp"}`);
      kept = stamp;
    },
    ...more,
  };
  return { commits, stands, logged, carried, files, did, fencing };
}

/** A commit on another one; committed at 2026-03-01T09:00:00Z by ada, unless it says otherwise. */
export function commit(
  { commits }: Around,
  name: string,
  parent = "",
  more: Partial<CommitFacts> = {},
): CommitFacts {
  const made: CommitFacts = {
    oid: oid(name),
    tree: sha256(`tree of ${name}`),
    parents: parent === "" ? [] : [oid(parent)],
    message: name,
    at: Date.parse("2026-03-01T09:00:00Z") / 1000,
    people: ["ada", "ada@example.org"],
    trailers: {},
    ...more,
  };
  commits.set(made.oid, made);
  return made;
}

/** A policy and people's keys, as a commit has them. */
export function agree(
  { files }: Around,
  name: string,
  config: JsonObject | string,
  signers: readonly string[] = [],
): void {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  files.set(`${oid(name)}:holdpoint.config.json`, text);
  files.set(`${oid(name)}:allowed_signers`, signers.map((one) => `${one}\n`).join(""));
}

/** Keys without any mathematics: a signature names its key and the text; a key counts for whoever is listed with it. */
export const SIGNATURES: Pick<Signatures, "verify"> = {
  verify: async ({ text, signature, by, signers, revoked }) => {
    const [key = "", over] = signature.split(" over ");
    const wrong =
      over !== sha256(text)
        ? "it is of another text"
        : !linesOf(signers).includes(`${by} ${key}`) || revoked.includes(key)
          ? "that key does not count"
          : undefined;
    return wrong === undefined
      ? {
          kind: "good",
          key,
          hardware: key.startsWith("sk-"),
          names: linesOf(signers).flatMap((line) =>
            line.endsWith(` ${key}`) ? [line.split(" ")[0] ?? ""] : [],
          ),
        }
      : { kind: "problem", code: "signature-bad", message: wrong, fix: "Sign again." };
  },
};

function linesOf(text: string): readonly string[] {
  return text.split("\n");
}

export function sign(text: string, key: string): string {
  return `${key} over ${sha256(text)}`;
}

export interface Release {
  readonly ref?: string;
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
  readonly key?: string;
  readonly card?: JsonObject;
  readonly says?: Partial<Statement>;
}

/** What people were shown of a move, and one of them signed: by default ada, that main goes from `old` to `new`. */
export function release({ by = "ada", key = `key-${by}`, ...more }: Release = {}): {
  readonly card: JsonObject;
  readonly statement: string;
  readonly signature: string;
} {
  const { ref = MAIN, from = "old", to = "new", says } = more;
  const about = { ref, from: oid(from), to: oid(to) };
  const card = more.card ?? { question: { question: "open-fence", about } };
  const statement = statementText({
    holdpoint: "release/1",
    protocol: REPOSITORY,
    workflow: REPOSITORY,
    hold: "Q-1",
    gate: "open-fence",
    choice: "open",
    reason: "",
    card: sha256(canonicalJson(card)),
    head: "h",
    seq: 1,
    nonce: `nonce-${by}`,
    at: "2026-03-01T10:00:00.000Z",
    expires: "2026-03-01T10:30:00.000Z",
    by,
    ...says,
  });
  return { card, statement, signature: sign(statement, key) };
}

export interface Fenced extends Press {
  readonly git: Around;
}

/** A press whose branch `main` is fenced in where it stands, at the commit `base`. */
export async function fenced(
  options: PressOptions = {},
  base = "base",
  branches: readonly string[] = ["main"],
): Promise<Fenced> {
  const git = around();
  if (base !== "") commit(git, base);
  git.stands.set(MAIN, { oid: oid(base) });
  const it = await press({
    repository: true,
    files: { "x.md": "text" },
    beside: [repositoryFamily],
    ...options,
    parts: (all, memory) => ({
      fencing: git.fencing,
      signatures: { ...all.signatures, ...SIGNATURES },
      git: {
        ...all.git,
        prepare: async (plan) => {
          const prepared = await all.git.prepare(plan);
          if (prepared.kind !== "ready") return prepared;
          const journal = plan.journal === undefined ? {} : { journal: plan.journal };
          const base = git.stands.get(MAIN)?.oid ?? "";
          return { ...prepared, savepoint: { ...prepared.savepoint, base, ...journal } };
        },
        // A commit that is wanted and not made yet: what a fence is asked about.
        commit: async () => ({ kind: "blocked", code: "locked", message: "locked", fix: "Wait." }),
      },
      ...options.parts?.(all, memory),
    }),
  });
  const put = await putFence(it.parts, ADA, branches);
  if (!("outcome" in put) || put.outcome.kind !== "done") throw new Error(JSON.stringify(put));
  return { ...it, git };
}

/** The commit that the article's record wants, as git would make it. */
export async function wantedCommit(
  it: Fenced,
  more: Partial<CommitFacts> = {},
): Promise<CommitFacts> {
  const { effects } = await it.state();
  const effect = Object.values(effects).findLast((one) => readSavepoint(one.args) !== undefined);
  const savepoint = readSavepoint(effect?.args ?? {});
  const [record] = await it.parts.journal.read("press:x", (effect?.by?.seq ?? 0) - 1, 1);
  if (savepoint === undefined || record === undefined) throw new Error("Nothing is wanted");
  const trailers = {
    "Holdpoint-Journal": savepoint.journal ?? "",
    "Holdpoint-Record": record.hash,
  };
  const said = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\n`);
  return commit(it.git, record.hash, "", {
    tree: savepoint.tree,
    parents: [savepoint.base],
    message: `${savepoint.message}\n\n${said.join("")}`,
    trailers,
    ...more,
  });
}
