import type { VerifiedWorkflow } from "../../../../core/guards/verified.ts";
import { remedy } from "../../../../core/table/remedy.ts";
import type { PluginFinding } from "./finding.ts";
import {
  CONTRACT_KEYS,
  type ContractKey,
  type ParsedHandoff,
  parseHandoff,
} from "../handoff/handoff.ts";
import { type PluginStatus, parseStatus } from "../plugin-status.ts";
import {
  checkPluginName,
  parseNotes,
  parseRegistry,
  type Registry,
  type RegistryEntry,
  type RegistryRow,
} from "../plugins-md/plugins-md.ts";
import { describePosition, samePosition } from "./position.ts";
import { type RegistryPlaces, verifyRegistry } from "./registry.ts";

/**
 * Does the state of every plugin hold together? Texts and digests in, findings out.
 *
 *   exit  means                       when
 *   0     sound                       nothing found
 *   1     no handoff                  the registry says `🚧 Stage N` or `📦 Installed` and there is none
 *   4     stale handoff               the registry says `📦 Installed` or `🚧 Improving`
 *   2     the state disagrees         any finding about handoff or registry
 *   3     a contract changed          a digest differs from the handoff's, or the file is gone
 *
 * in this order of precedence (PW-192); all findings are listed whatever the exit. A plugin
 * that is only ideated, works or is improving needs no handoff; of an installed one exit 1 is no fault (`ended`). A handoff in
 * `.ideas/` (its place of old) is reported and counts only as a stale one; the second one in
 * `.ideas/mockups/` belongs to the design of the interface and is not checked here.
 */
export function verifyPluginTree(tree: PluginTree, now?: string): VerifiedWorkflow[] {
  const registry = parseRegistry(tree.texts.get("PLUGINS.md") ?? "").value;
  const rows = byName(registry.rows);
  const entries = byName(registry.entries);
  const names = new Set([...handoffOwners(tree), ...rows.keys(), ...entries.keys()]);
  return [...names].sort().map((plugin) => {
    const places = placesOf(tree, registry, {
      plugin,
      rows: rows.get(plugin) ?? [],
      entries: entries.get(plugin) ?? [],
    });
    return verifyPlugin({ tree, places, now });
  });
}

/** A repository's files as texts and digests; nothing here reads a disk. */
export interface PluginTree {
  /**
   * By path with forward slashes: `PLUGINS.md`, `plugins/<P>/.continue-here.md`,
   * `plugins/<P>/NOTES.md`, and `plugins/<P>/.ideas/.continue-here.md` where it exists.
   */
  readonly texts: ReadonlyMap<string, string>;
  /** By plugin, then contract: `sha256:<hex>`. A missing key is a missing file. */
  readonly contracts: ReadonlyMap<string, { readonly [K in ContractKey]?: string }>;
  /** Names of the directories under `plugins/`. */
  readonly directories: ReadonlySet<string>;
}

interface Subject {
  readonly tree: PluginTree;
  readonly places: RegistryPlaces;
  readonly now: string | undefined;
}

function verifyPlugin(subject: Subject): VerifiedWorkflow {
  const { tree, places } = subject;
  const { plugin } = places;
  const text = tree.texts.get(handoffPath(plugin));
  const status = statusOf(places);
  const stale = status?.id === "installed" || status?.id === "improving";
  const parsed = text === undefined ? undefined : parseHandoff(text, { plugin });
  const noHandoff =
    parsed === undefined && status?.id === "stage" ? [handoffMissing(subject, status)] : [];
  const findings = [
    ...noHandoff,
    ...misplaced(subject, stale),
    ...(parsed === undefined ? [] : handoffFindings(subject, parsed)),
    ...(parsed !== undefined && stale ? [staleFinding(handoffPath(plugin), plugin, status)] : []),
    ...verifyRegistry(places),
    ...(parsed === undefined || stale ? [] : positionFindings(places, parsed, status)),
    ...(parsed === undefined ? [] : contractFindings(subject, parsed)),
  ];
  const known = { id: plugin, protocol: "plugin-workflow" };
  if (findings.length === 0 && status?.id === "installed")
    return { ...known, exit: 1, findings: [handoffDone(plugin)], ended: true };
  return { ...known, exit: exitOf(findings, noHandoff.length > 0), findings };
}

/** The handoff is missing because the work is finished. The finding tells how to continue. */
export function handoffDone(plugin: string): PluginFinding {
  return {
    code: "handoff-missing",
    file: "",
    line: 0,
    message: `${plugin} is finished and has no handoff any more`,
    fix: remedy("advance", { workflow: plugin, step: "improve" }, "Change it"),
    rule: "PW-181",
  };
}

function exitOf(findings: readonly PluginFinding[], noHandoff: boolean): VerifiedWorkflow["exit"] {
  if (noHandoff) return 1;
  if (findings.some(({ code }) => code === "handoff-stale")) return 4;
  if (findings.some(({ code }) => !code.startsWith("contract-"))) return 2;
  return findings.length > 0 ? 3 : 0;
}

function byName<Place extends { readonly name: string }>(
  places: readonly Place[],
): Map<string, Place[]> {
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const group = groups.get(place.name);
    if (group === undefined) groups.set(place.name, [place]);
    else group.push(place);
  }
  return groups;
}

function handoffOwners(tree: PluginTree): string[] {
  return [...tree.texts.keys()].flatMap((path) => {
    const name = /^plugins\/([^/]+)\/(?:\.ideas\/)?\.continue-here\.md$/.exec(path)?.[1];
    return name === undefined || checkPluginName(name) !== undefined ? [] : [name];
  });
}

type Found = Pick<RegistryPlaces, "plugin" | "rows" | "entries">;

/** If `PLUGINS.md` has no entries at all, a plugin's entry is its NOTES.md. */
function placesOf(tree: PluginTree, registry: Registry, found: Found): RegistryPlaces {
  if (found.entries.length > 0) return { ...found, entryFile: "PLUGINS.md" };
  const path = `plugins/${found.plugin}/NOTES.md`;
  const notes = tree.texts.get(path);
  const entry = notes === undefined ? undefined : parseNotes(notes, found.plugin);
  const tableOnly = registry.rows.length > 0 && registry.entries.length === 0;
  if (entry?.status === undefined) return { ...found, entryFile: tableOnly ? path : "PLUGINS.md" };
  return { ...found, entries: [entry], entryFile: path };
}

/** The full entry counts before the table (PW-037). NOTES.md counts only without either. */
function statusOf({ rows, entries, entryFile }: RegistryPlaces): PluginStatus | undefined {
  const row: RegistryEntry | RegistryRow | undefined = rows[0];
  const entry: RegistryEntry | RegistryRow | undefined = entries[0];
  const place = entryFile === "PLUGINS.md" ? (entry ?? row) : (row ?? entry);
  return place?.status === undefined ? undefined : parseStatus(place.status);
}

function handoffMissing({ tree, places }: Subject, status: PluginStatus): PluginFinding {
  const { plugin } = places;
  const where = tree.directories.has(plugin) ? "" : `, nor a directory plugins/${plugin}`;
  return {
    code: "handoff-missing",
    file: handoffPath(plugin),
    line: 0,
    message: `${plugin} is in development (${status.emoji} ${status.text}) but has no handoff${where}`,
    fix: tree.texts.has(oldHandoffPath(plugin))
      ? `Move ${oldHandoffPath(plugin)} to ${handoffPath(plugin)}`
      : `Restore ${handoffPath(plugin)} from git, or plan ${plugin} again`,
    rule: "PW-181",
  };
}

function misplaced({ tree, places }: Subject, stale: boolean): PluginFinding[] {
  const { plugin } = places;
  const file = oldHandoffPath(plugin);
  if (!tree.texts.has(file)) return [];
  if (stale && !tree.texts.has(handoffPath(plugin)))
    return [staleFinding(file, plugin, statusOf(places))];
  const message = `${plugin} has a handoff at its place of old, where nothing reads it`;
  const fix = `Move it to ${handoffPath(plugin)}, or remove it`;
  return [{ code: "handoff-field", file, line: 0, message, fix, rule: "PW-001" }];
}

function staleFinding(
  file: string,
  plugin: string,
  status: PluginStatus | undefined,
): PluginFinding {
  const message = `${plugin} is ${status?.text ?? "finished"} but its handoff is still there`;
  const fix =
    file === handoffPath(plugin)
      ? remedy("reconcile", { workflow: plugin, restore: true }, "Remove it; its text is kept")
      : `Remove ${file}: the work it hands over is done`;
  return { code: "handoff-stale", file, line: 0, message, fix, rule: "PW-184" };
}

/** Warnings count only for a file in the current form; older files may lack sections (PW-264, PW-267). */
function handoffFindings({ places, now }: Subject, parsed: ParsedHandoff): PluginFinding[] {
  const file = handoffPath(places.plugin);
  const counted = parsed.problems.filter(
    ({ severity }) => severity === "error" || parsed.kind === "current",
  );
  const findings = counted.map(({ code, line, message, fix, rule }): PluginFinding => ({
    code: code === "handoff-unparseable" ? code : "handoff-field",
    file,
    line,
    message,
    fix,
    rule,
  }));
  const updated = parsed.value?.lastUpdated;
  if (now === undefined || updated === undefined || updated <= now) return findings;
  const message = `The field \`last_updated\` is ${updated}, which is after today (${now})`;
  const fix = "Set `last_updated` to the date of the last change";
  return [...findings, { code: "handoff-field", file, line: 1, message, fix, rule: "PW-008" }];
}

function positionFindings(
  places: RegistryPlaces,
  { value }: ParsedHandoff,
  status: PluginStatus | undefined,
): PluginFinding[] {
  if (value?.stage === undefined || status === undefined || status.id === "unknown") return [];
  if (samePosition(value, status)) return [];
  const { plugin } = places;
  const registry = `${status.emoji} ${status.text}`.slice(0, 120);
  const message = `The handoff of ${plugin} says ${describePosition(value)}; the registry says ${registry}`;
  const fix = `Reconcile ${plugin}: find out which of the two is right and correct the other`;
  return [
    { code: "stage-mismatch", file: handoffPath(plugin), line: 1, message, fix, rule: "PW-182" },
  ];
}

function contractFindings({ tree, places }: Subject, { value }: ParsedHandoff): PluginFinding[] {
  const { plugin } = places;
  const digests = tree.contracts.get(plugin) ?? {};
  return CONTRACT_KEYS.flatMap((key): PluginFinding[] => {
    const file = `plugins/${plugin}/.ideas/${CONTRACT_FILES[key]}`;
    const stored = value?.checksums?.[key];
    const digest = digests[key];
    if (stored === undefined) return [];
    if (stored === null)
      return digest === undefined ? [] : unsealed({ plugin, key, file, stage: value?.stage });
    if (!stored.startsWith("sha256:") || stored.toLowerCase() === digest) return [];
    const rule = digest === undefined ? "PW-055" : "PW-183";
    const code = digest === undefined ? "contract-missing" : "contract-changed";
    const message =
      digest === undefined
        ? `${file} is gone, though its checksum is stored`
        : `${file} differs from its stored checksum`;
    const fix = `Restore ${file}, or have a person accept the change and store the new checksum`;
    return [{ code, file, line: 0, message, fix, rule }];
  });
}

interface Unsealed {
  readonly plugin: string;
  readonly key: ContractKey;
  readonly file: string;
  readonly stage: number | string | undefined;
}

/** Null means "not sealed yet", which is only right until Stage 2 (PW-187). */
function unsealed({ plugin, key, file, stage }: Unsealed): PluginFinding[] {
  if (typeof stage !== "number" || stage < 2) return [];
  const message = `The field \`contract_checksums.${key}\` is null, but ${file} exists`;
  const fix = "Have a person review the file and store its checksum";
  return [
    { code: "handoff-field", file: handoffPath(plugin), line: 1, message, fix, rule: "PW-187" },
  ];
}

const CONTRACT_FILES: { readonly [K in ContractKey]: string } = {
  creative_brief: "creative-brief.md",
  parameter_spec: "parameter-spec.md",
  architecture: "architecture.md",
  plan: "plan.md",
};

function handoffPath(plugin: string): string {
  return `plugins/${plugin}/.continue-here.md`;
}

function oldHandoffPath(plugin: string): string {
  return `plugins/${plugin}/.ideas/.continue-here.md`;
}
