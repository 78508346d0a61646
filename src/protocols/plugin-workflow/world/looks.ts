import { showJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import { tellPaths } from "../../../core/values/measured.ts";
import { unknown } from "../../../core/values/unknown.ts";
import { REQUIRED_FIELDS } from "../files/handoff/fields.ts";
import { CONTRACT_KEYS, SECTIONS, parseHandoff } from "../files/handoff/handoff.ts";
import { MENU_FILES } from "../roots.ts";
import { fillPlaceholders, parseMenus } from "../files/menus-json.ts";
import { parsePlan } from "../files/plan.ts";
import type { ParsedPlan } from "../files/plan.ts";
import { findPlugin, parseNotes } from "../files/plugins-md/plugins-md.ts";
import type { Look, World } from "../../../ports/family.ts";
import { REGISTRY, artifactsOf, contractOf, handoffOf, homeOf, notesOf } from "../table/paths.ts";
import { MAIN } from "../table/worktree.ts";
import { canonical } from "./registry-view.ts";
import { resumeLooks } from "./resume-looks.ts";

/** How the plugin workflow looks up its facts. Each look is quick and changes nothing. */
export const looks: Readonly<Record<string, Look>> = {
  ...resumeLooks,
  handoff: lookHandoff,
  registry: lookRegistry,
  plan: async (world, plugin) => {
    const plan = await readPlan(world, plugin);
    return plan === undefined ? null : { score: clampScore(plan.score), phased: plan.phased };
  },
  planned: lookPlanned,
  phases: lookPhases,
  mockup: async (world, plugin) => (await highestMockup(world, plugin)) !== undefined,
  around: lookAround,
  worktree: async (world) => await Promise.resolve(treeOf(world)),
  branch: async ({ git }) => {
    const place = await git.locate();
    return place.kind === "none" ? unknown(place.message) : ((await git.branch()) ?? null);
  },
  "main-worktree": async (world) => await Promise.resolve(mainOf(world)),
  "mockup-path": async (world, plugin) => (await highestMockup(world, plugin)) ?? "",
  mockups: async (world, plugin) => {
    const path = await highestMockup(world, plugin);
    return path === undefined ? null : `${path} ${(await world.workspace.digest(path)) ?? ""}`;
  },
  "mockup-handoff": async ({ workspace }, plugin) =>
    (await workspace.read(`${homeOf(plugin)}/.ideas/mockups/.continue-here.md`)).kind !== "absent",
  menu: lookMenu,
  artifacts: lookArtifacts,
  built: async (world, plugin) => {
    const artifacts = await lookArtifacts(world, plugin);
    return Array.isArray(artifacts) && artifacts.length > 0;
  },
  backup: async (world, plugin, { vars }) => {
    const differing = await differingFrom(world, plugin, showJson(vars["version"]));
    if (typeof differing !== "object") return unknown(differing);
    return differing.length === 0 ? true : { why: `it lacks ${tellPaths(differing)}` };
  },
  improvement: async (world, plugin, { vars }) => {
    const differing = await differingFrom(world, plugin, showJson(vars["version"]));
    if (typeof differing !== "object") return unknown(differing);
    const work = differing.filter((path) => path !== "CHANGELOG.md");
    return work.length > 0 ? true : { why: "only the changelog differs from the backup" };
  },
  changelog: async ({ workspace }, of) => {
    const [plugin = "", version = ""] = of.split(":");
    const file = await workspace.read(`${homeOf(plugin)}/CHANGELOG.md`);
    return file.kind === "text" && version !== "" && hasVersion(file.text, version);
  },
};

/** The main worktree always has the same name, even if the repository is moved. */
function treeOf(world: World): string {
  const { place } = world;
  return place.kind === "none" || place.top === mainOf(world) ? MAIN : place.top;
}

function mainOf({ place, workspace }: World): string {
  return place.kind === "none" ? workspace.root : place.commonDir.replace(/[/\\]\.git$/, "");
}

/** `1.0.1` is neither part of `11.0.1` nor of `1.0.10`. */
function hasVersion(text: string, version: string): boolean {
  return new RegExp(`(?<![\\d.])${version.replaceAll(".", "\\.")}(?!\\.?\\d)`).test(text);
}

/**
 * The plugin's files, relative to its folder, that differ from the backup of a version; or why that is unknown.
 */
async function differingFrom(
  { workspace }: World,
  plugin: string,
  version: string,
): Promise<readonly string[] | string> {
  const home = homeOf(plugin);
  const { files, problems } = await workspace.measure(home);
  const [problem] = problems;
  if (problem !== undefined) return `${problem[0]} ${problem[1]}`;
  const own = [...files.keys()].filter(
    (path) => ![handoffOf(plugin), notesOf(plugin)].includes(path),
  );
  const differing: string[] = [];
  for (const path of own) {
    const name = path.slice(home.length + 1);
    const copy = await workspace.digest(`backups/${plugin}/v${version}/${name}`);
    if (copy === undefined || copy !== (await workspace.digest(path))) differing.push(name);
  }
  return differing;
}

/**
 * What a plugin's tests may depend on outside the plugin: the whole repository except other plugins and backups.
 * A savepoint only contains the plugin, so everything around it must be as committed. Otherwise the tests ran on
 * a tree that no commit has.
 */
async function lookAround({ workspace, sha256, git, place }: World): Promise<Json> {
  const { files, problems } = await workspace.measure(".");
  const [problem] = problems;
  if (problem !== undefined) return unknown(`${problem[0]} ${problem[1]}`);
  const loose = place.kind === "repository" ? await git.changes(["."]) : [];
  const beside = loose.map(({ path }) => path).filter(isAround);
  if (beside.length > 0) return unknown(`not as it is committed: ${tellPaths(beside)}`);
  return sha256(JSON.stringify([...files].filter(([path]) => isAround(path))));
}

/** Text files are not compiled, so they do not invalidate tests. */
function isAround(path: string): boolean {
  return !/^(?:plugins|backups|\.holdpoint)\/|\.(?:md|txt|adoc|rst)$/i.test(path);
}

async function lookHandoff({ workspace }: World, plugin: string): Promise<Json> {
  const file = await workspace.read(handoffOf(plugin));
  if (file.kind === "absent") return { kind: "absent" };
  if (file.kind === "unreadable") return { kind: "unreadable", why: file.message };
  const { value, problems } = parseHandoff(file.text, { plugin });
  if (value === undefined)
    return { kind: "unreadable", why: problems[0]?.message ?? "no front matter" };
  return {
    kind: "read",
    stage: value.stage ?? null,
    phase: value.phase ?? null,
    status: value.status ?? null,
    lastUpdated: value.lastUpdated ?? null,
    checksums: CONTRACT_KEYS.filter(
      (key) => value.checksums !== undefined && key in value.checksums,
    ).length,
    missing: REQUIRED_FIELDS.filter((key) => !value.keys.includes(key)),
    missingSections: SECTIONS.filter((section) => !value.sections.includes(section)),
    completed: value.completed,
  };
}

async function lookRegistry({ workspace }: World, plugin: string): Promise<Json> {
  const file = await workspace.read(REGISTRY);
  if (file.kind !== "text") return null;
  const { row, entry: listed, hasEntries } = findPlugin(file.text, plugin);
  const notes = hasEntries ? undefined : await workspace.read(notesOf(plugin));
  const entry = listed ?? (notes?.kind === "text" ? parseNotes(notes.text, plugin) : undefined);
  if (row === undefined && entry === undefined) return null;
  return {
    row: row?.status === undefined ? null : canonical(row.status),
    entry: entry?.status === undefined ? null : canonical(entry.status),
    timeline: entry?.timeline.flatMap((one) => (one.tag === undefined ? [] : [one.tag])) ?? [],
  };
}

export async function readPlan(
  { workspace }: World,
  plugin: string,
): Promise<ParsedPlan | undefined> {
  const file = await workspace.read(contractOf(plugin, "plan"));
  return file.kind === "text" ? parsePlan(file.text) : undefined;
}

/** A score below 1.0 is written as 1.0; the original stays in the plan. */
export function clampScore(score: number | undefined): number | null {
  return score === undefined ? null : Math.max(1, score);
}

async function lookPlanned(world: World, plugin: string): Promise<Json> {
  const plan = await readPlan(world, plugin);
  if (plan === undefined) return { why: "it cannot be read" };
  // Problems in a plan that may have phases are reported, because nobody would miss a phase that was never opened.
  const wrong = plan.score === undefined || plan.score >= 3 ? plan.problems : [];
  return wrong.length === 0 ? true : { why: wrong.map((one) => one.message).join("; ") };
}

/** The phases of a phased plan, each after the previous one of its stage. */
async function lookPhases(world: World, plugin: string): Promise<Json> {
  const plan = await readPlan(world, plugin);
  if (plan === undefined || !plan.phased) return [];
  return plan.phases.map(({ phase, stage, title }, index) => {
    const before = plan.phases.slice(0, index).findLast((one) => one.stage === stage);
    return { id: phase, stage, title, after: before === undefined ? [] : [before.phase] };
  });
}

/** The finished mock-up with the highest number: v10 comes after v2. */
export async function highestMockup(
  { workspace }: World,
  plugin: string,
): Promise<string | undefined> {
  const directory = `${homeOf(plugin)}/.ideas/mockups`;
  const names = (await workspace.list(directory)).filter((name) => /^v\d+-ui\.html$/.test(name));
  const [highest] = names.toSorted((a, b) => versionOf(b) - versionOf(a));
  return highest === undefined ? undefined : `${directory}/${highest}`;
}

function versionOf(name: string): number {
  return Number(/^v(\d+)/.exec(name)?.[1]);
}

async function lookMenu({ settings }: World, name: string): Promise<Json> {
  for (const path of MENU_FILES) {
    const file = await settings.read(path);
    const menu = file.kind === "text" ? parseMenus(file.text).value?.get(name) : undefined;
    if (menu === undefined) continue;
    const { milestone = "", context = "" } = menu;
    const filled = (text: string): string => fillPlaceholders(text, { milestone, context });
    const options = menu.options.map(({ label, action, recommended, discovery }) => ({
      label: filled(label),
      recommended,
      action: action ?? null,
      discovery: discovery === undefined ? null : filled(discovery),
    }));
    return { statement: filled(menu.completionStatement), options };
  }
  return null;
}

async function lookArtifacts({ workspace }: World, plugin: string): Promise<Json> {
  const found = await Promise.all(
    artifactsOf(plugin).map(async (one) => {
      const there =
        (await workspace.digest(one.path)) !== undefined ||
        (await workspace.list(one.path)).length > 0;
      return there ? [one] : [];
    }),
  );
  return found.flat();
}
