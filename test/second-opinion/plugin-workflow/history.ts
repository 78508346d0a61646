/** What the sources say of two states of the files after one another, and of the commits between them. */
import { type Objection, objection, unless } from "../opinion.ts";
import type { Handoff, PluginFiles } from "./files.ts";
import { placesOf, statusOf, timelineOf } from "./registry.ts";

/** Which status may follow which: the state contract's way into and out of phases. */
export function isMove(from: string, to: string): boolean {
  if (from === to) return true;
  // Before the stages it is the planning that decides.
  if (from === "" || from.startsWith("💡")) return /^(?:💡|🚧 Stage 0)/u.test(to);
  const known = MOVES.some(([one, other]) => one === from && other === to);
  return known || isPhaseMove(from, to);
}

const MOVES: readonly (readonly [string, string])[] = [
  ["🚧 Stage 0", "🚧 Stage 2"],
  ["🚧 Stage 2", "🚧 Stage 3"],
  ["🚧 Stage 2", "🚧 Stage 3.1"],
  ["🚧 Stage 3", "🚧 Stage 4"],
  ["🚧 Stage 3", "🚧 Stage 4.1"],
  ["🚧 Stage 4", "🚧 Stage 5"],
  ["🚧 Stage 5", "✅ Working"],
  ["✅ Working", "📦 Installed"],
  ["📦 Installed", "🚧 Improving"],
  ["🚧 Improving", "📦 Installed"],
];

function isPhaseMove(from: string, to: string): boolean {
  const [, stage, phase] = /^🚧 Stage ([34])\.(\d+)$/u.exec(from) ?? [];
  if (stage === undefined) return false;
  return to === `🚧 Stage ${stage}` || to === `🚧 Stage ${stage}.${Number(phase) + 1}`;
}

/** The statuses passed through on the way: the timeline names the steps that were finished at once. */
export function judgeMove(before: PluginFiles, after: PluginFiles): readonly Objection[] {
  const old = placesOf(before.registry, before.name);
  const now = placesOf(after.registry, after.name);
  const tags = timelineOf(now)
    .slice(timelineOf(old).length)
    .map(({ tag }) => tag);
  const passed = tags.filter((tag) => tag.startsWith("Stage ")).map((tag) => `🚧 ${tag}`);
  const path = [statusOf(old), ...passed, statusOf(now)];
  return path.slice(1).flatMap((to, index) => {
    const from = path[index] ?? "";
    return isMove(from, to) ? [] : [objection("history:move", `${from} may not become ${to}`)];
  });
}

/** Code and state are one commit: what is called done is in the newest commit, and that commit is called so. */
export function judgeSavepoint({
  name,
  handoff,
  registry,
  git,
}: PluginFiles): readonly Objection[] {
  const { status, stage, phase } = handoff?.fields ?? {};
  const done = status === "complete" || status === "workflow_complete";
  const now = statusOf(placesOf(registry, name));
  if (handoff === undefined ? now !== "📦 Installed" : !done) return [];
  const then = statusOf(placesOf(git.registry, name));
  const tag = `feat: ${name} Stage ${phase ?? stage}`;
  const named = handoff === undefined || git.subjects.some((one) => isStep(one, tag));
  return [
    ...unless(
      then === now && isSame(git.handoff, handoff),
      "git:state",
      `the files are not at what the last commit has: ${then}`,
    ),
    ...unless(named, "git:commit", `no commit is called "${tag} - ..."`),
  ];
}

function isSame(then: Handoff | undefined, now: Handoff | undefined): boolean {
  const part = (one: Handoff | undefined): string =>
    JSON.stringify([
      ...["stage", "phase", "status"].map((key) => one?.fields[key]),
      one?.checksums,
    ]);
  return part(then) === part(now);
}

/** A stage in phases is finished by the commit of its last phase. */
function isStep(subject: string, tag: string): boolean {
  return subject.startsWith(`${tag} - `) || subject.startsWith(`${tag}.`);
}
