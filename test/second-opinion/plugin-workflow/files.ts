/** What an outsider can read of one plugin. */
import { createHash } from "node:crypto";
import { parseDocument } from "yaml";
import { type Fields, fieldsOf, isText } from "../opinion.ts";
import { type Section, sectionsOf } from "../markdown.ts";

/** A tree with git below it. */
export interface Tree {
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string;
  readonly git: (...args: readonly string[]) => string;
}

/** The four documents that are frozen while the work goes on, as the handoff calls them. */
export const CONTRACTS: Readonly<Record<string, string>> = {
  creative_brief: "creative-brief.md",
  parameter_spec: "parameter-spec.md",
  architecture: "architecture.md",
  plan: "plan.md",
};

export interface PluginFiles {
  readonly name: string;
  readonly handoff: Handoff | undefined;
  readonly registry: string;
  /** `sha256:` and the digest of each contract that is there. */
  readonly digests: Readonly<Record<string, string | undefined>>;
  readonly plan: string;
  /** There is a draft of the parameters, which is enough to plan. */
  readonly draft: boolean;
  readonly git: Commits;
}

export interface Commits {
  /** The state files as the last commit has them. */
  readonly handoff: Handoff | undefined;
  readonly registry: string;
  /** Subjects of all commits, newest first. */
  readonly subjects: readonly string[];
}

export interface Handoff {
  readonly text: string;
  /** Whether there is one block of YAML at the top, and it can be read. */
  readonly readable: boolean;
  /** Every value as it is written; a field that says null, or nothing, is null. */
  readonly fields: Readonly<Record<string, string | null | undefined>>;
  readonly checksums: Readonly<Record<string, string | null | undefined>> | undefined;
  readonly sections: readonly Section[];
}

/** Git is asked unless it is known what it would say. */
export function readPlugin(tree: Tree, name: string, git?: Commits): PluginFiles {
  const home = `plugins/${name}`;
  const text = (file: string): string | undefined => (tree.has(file) ? tree.read(file) : undefined);
  const digests = Object.entries(CONTRACTS).map(([key, file]) => {
    const contract = text(`${home}/.ideas/${file}`);
    return [key, contract === undefined ? undefined : digestOf(contract)] as const;
  });
  return {
    name,
    handoff: readHandoff(text(handoffOf(name))),
    registry: text("PLUGINS.md") ?? "",
    digests: Object.fromEntries(digests),
    plan: text(`${home}/.ideas/plan.md`) ?? "",
    draft: tree.has(`${home}/.ideas/parameter-spec-draft.md`),
    git: git ?? readCommits(tree, name),
  };
}

function handoffOf(name: string): string {
  return `plugins/${name}/.continue-here.md`;
}

function readCommits(tree: Tree, name: string): Commits {
  return {
    handoff: readHandoff(committed(tree, handoffOf(name))),
    registry: committed(tree, "PLUGINS.md") ?? "",
    subjects: tree.git("log", "--format=%s").split("\n"),
  };
}

function committed(tree: Tree, path: string): string | undefined {
  return tree.git("ls-tree", "--name-only", "HEAD", "--", path) === ""
    ? undefined
    : `${tree.git("show", `HEAD:${path}`)}\n`;
}

export function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function readHandoff(text: string | undefined): Handoff | undefined {
  if (text === undefined) return undefined;
  const [, block, body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  // Without types: what the file says is judged, not what a YAML schema makes of it.
  const document = block === undefined ? undefined : parseDocument(block, { schema: "failsafe" });
  const readable = document !== undefined && document.errors.length === 0;
  const values: Fields = readable ? fieldsOf(document.toJS()) : {};
  const sums = values["contract_checksums"];
  return {
    text,
    readable: readable && Object.keys(values).length > 0,
    fields: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, plain(value)])),
    checksums:
      typeof sums === "object" && sums !== null
        ? Object.fromEntries(Object.entries(sums).map(([key, value]) => [key, plain(value)]))
        : undefined,
    sections: sectionsOf(body),
  };
}

function plain(value: unknown): string | null {
  if (!isText(value)) return null;
  return ["null", "~", ""].includes(value) ? null : value;
}
