import { CONTRACT_KEYS } from "../files/handoff/handoff.ts";
import type { ContractKey } from "../files/handoff/handoff.ts";
import { verifyPluginTree } from "../files/verify/plugin-tree.ts";
import type { VerifiedWorkflow, VerifyFinding, World } from "../../../ports/family.ts";
import { REGISTRY, contractOf, handoffOf, homeOf, notesOf } from "../table/paths.ts";

/** Judges only the files of a tree. Works without git and without a journal, and changes nothing. */
export async function verifyFiles(world: World): Promise<readonly VerifiedWorkflow[]> {
  const directories = await pluginDirectories(world);
  const texts = new Map<string, string>();
  const contracts = new Map<string, { [K in ContractKey]?: string }>();
  const unreadable: VerifyFinding[] = [];
  const read = async (path: string): Promise<void> => {
    const file = await world.workspace.read(path);
    if (file.kind === "text") texts.set(path, file.text);
    if (file.kind === "unreadable") {
      const { message, fix } = file;
      const code = path === REGISTRY ? "registry-missing" : "handoff-unparseable";
      unreadable.push({
        code,
        file: path,
        line: 0,
        message,
        fix,
        rule: path === REGISTRY ? "PW-026" : "PW-002",
      });
    }
  };
  await read(REGISTRY);
  for (const plugin of directories) {
    await read(handoffOf(plugin));
    await read(notesOf(plugin));
    await read(`${homeOf(plugin)}/.ideas/.continue-here.md`);
    contracts.set(plugin, await digestsOf(world, plugin));
  }
  const verified = verifyPluginTree(
    { texts, contracts, directories: new Set(directories) },
    world.now.slice(0, 10),
  );
  return addUnreadable(verified, [...unreadable, ...(await linkedOutside(world))]);
}

/** A plugin directory that is a link out of the tree is not followed, but reported. */
async function linkedOutside({ workspace }: World): Promise<readonly VerifyFinding[]> {
  const names = (await workspace.list("plugins")).filter((name) => !name.endsWith("/"));
  const findings: VerifyFinding[] = [];
  for (const name of names) {
    const file = handoffOf(name);
    const read = await workspace.read(file);
    if (read.kind !== "unreadable") continue;
    const { message, fix } = read;
    findings.push({ code: "handoff-unparseable", file, line: 0, message, fix, rule: "PW-002" });
  }
  return findings;
}

export async function pluginDirectories({ workspace }: World): Promise<readonly string[]> {
  return (await workspace.list("plugins"))
    .filter((name) => name.endsWith("/"))
    .map((name) => name.slice(0, -1));
}

async function digestsOf(
  { workspace }: World,
  plugin: string,
): Promise<{ [K in ContractKey]?: string }> {
  const entries = await Promise.all(
    CONTRACT_KEYS.map(
      async (key) => [key, await workspace.digest(contractOf(plugin, key))] as const,
    ),
  );
  return Object.fromEntries(entries.filter(([, digest]) => digest !== undefined));
}

/** An unreadable file is worse than a missing one: it is reported, and counts as a mismatch. */
function addUnreadable(
  verified: readonly VerifiedWorkflow[],
  unreadable: readonly VerifyFinding[],
): readonly VerifiedWorkflow[] {
  const byPlugin = new Map(verified.map((one) => [one.id, one]));
  for (const finding of unreadable) {
    const id = /^plugins\/([^/]+)\//.exec(finding.file)?.[1] ?? REGISTRY;
    const known = byPlugin.get(id) ?? { id, protocol: "plugin-workflow", exit: 0, findings: [] };
    // Exit 1 means "no handoff", but there is one that cannot be read.
    byPlugin.set(id, { ...known, exit: 2, findings: [finding, ...known.findings] });
  }
  return [...byPlugin.values()];
}
