import type { Decision, Workflow } from "../../../core/state/state.ts";
import { parsePlanMd } from "../files/plan-md.ts";
import { sectionText } from "../files/task-md.ts";
import type { Brief, World } from "../../../ports/family.ts";
import { adviceFor } from "./advice.ts";
import { readTaskMd } from "../world/looks.ts";
import { changesSource } from "../world/git-looks.ts";
import type { TaskPlaces } from "../world/places.ts";
import { foreignEntries, foreignTold, lookForeign } from "../world/foreign.ts";
import { lookOwnSource } from "../world/brought.ts";
import { workOf } from "../world/work.ts";
import { changePresentation, planPresentation } from "./presentation.ts";
import { member } from "../../../core/values/json.ts";
import { text, texts } from "../../../core/values/json-read.ts";
import { escalationOf } from "../world/resume.ts";

/** What a person is shown before answering, and what the coordinator should do next. */
export async function briefOf(places: TaskPlaces, world: World, state: Workflow): Promise<Brief> {
  const open = Object.values(state.decisions).find((one) => one.status === "open");
  const shown = open === undefined ? "" : await presentationOf(places, { world, state, open });
  return {
    shown: shown === "" ? [] : shown.trimEnd().split("\n"),
    advice: await adviceFor(places, world, state),
  };
}

interface Asked {
  readonly world: World;
  readonly state: Workflow;
  readonly open: Decision;
}

async function presentationOf(places: TaskPlaces, asked: Asked): Promise<string> {
  switch (asked.open.question) {
    case "plan":
      return await planShown(places, asked);
    case "change":
      return await changeShown(places, asked);
    case "retries-exhausted":
      return escalationShown(asked);
    default:
      return "";
  }
}

async function planShown(places: TaskPlaces, { world, state }: Asked): Promise<string> {
  const document = (await readTaskMd(world, state)) ?? "";
  const plan = parsePlanMd(document);
  const said = (name: string): readonly string[] => plan?.said[name] ?? [];
  const files = said("File Manifest");
  const lines = files.flatMap((one) => [...one.matchAll(/(\d+)\s*lines?\b/gi)].map((m) => m[1]));
  const count = plan?.manifest.length ?? 0;
  const sum = lines.reduce((total, one) => total + Number(one), 0);
  return planPresentation(state, {
    objective: sectionText(document, "Task Objective"),
    files,
    signatures: said("API Specifications"),
    behaviour: said("Behavioral Specifications"),
    tests: said("Test Specifications"),
    phases: said("Implementation Sequence"),
    decisions: said("Decision Log"),
    own: texts(await lookOwnSource(places, state.id, state)),
    estimate: `${count} ${count === 1 ? "file" : "files"}${sum === 0 ? "" : `, about ${sum} lines`}`,
  });
}

async function changeShown(places: TaskPlaces, { world, state }: Asked): Promise<string> {
  const document = (await readTaskMd(world, state)) ?? "";
  const { files, commits, entries } = await places.ahead(state.id, text(state.vars["main"]));
  const pushed = Object.values(state.effects).some(
    (one) => one.kind === "push" && one.status === "done",
  );
  const tree = (await places.head(state.id))?.tree ?? "";
  const source =
    changesSource(entries) || changesSource(await foreignEntries(places, world, state));
  return changePresentation(state, {
    branch: state.id,
    subject: commits.map((one) => one.subject).join("; "),
    pushed,
    files,
    decisions: parsePlanMd(document)?.said["Decision Log"] ?? [],
    gates: CHECKS.map((check) => gateLine({ world, state, check, tree, source })),
    work: await workOf(places, world, state),
    foreign: foreignTold(await lookForeign(places, world, state)),
    requirements: sectionText(document, "Requirements Mapping")
      .split("\n")
      .map((line) => line.replace(/^[-*+]\s+/, "").trim())
      .filter((line) => line !== ""),
  });
}

const CHECKS: readonly string[] = ["build", "tests", "quality"];

interface Gate {
  readonly world: World;
  readonly state: Workflow;
  readonly check: string;
  readonly tree: string;
  readonly source: boolean;
}

/** A check's result for this very tree. Results for other trees do not matter here. */
function gateLine({ world, state, check, tree, source }: Gate): string {
  const here = `tree ${tree.slice(0, 12)}`;
  const ran = Object.values(state.findings)
    .filter((one) => one.kind === check && one.bound[`tree:${state.id}`] === tree)
    .filter((one) => texts(one.bound[`clean:${state.id}`]).length === 0)
    .at(-1);
  if (ran !== undefined) return `${check}: ${text(ran.value)} on ${here} at ${ran.at}`;
  const none = member(world.config.none ?? {}, check);
  if (none !== undefined) return `${check}: none, the repository says: ${none}`;
  if (member(world.config.checks, check) === undefined)
    return `${check}: not run, because holdpoint.config.json has no check of that name`;
  return source || check === "build"
    ? `${check}: has not run on ${here}`
    : `${check}: not asked for, because no source changed`;
}

function escalationShown({ state, open }: Asked): string {
  const { issue, state: at, attempts, workAtRisk, options } = escalationOf(state, open.unit);
  return [
    `Issue: ${issue}`,
    `State: ${at}`,
    `Attempts: ${attempts}`,
    `Work at risk: ${workAtRisk.length === 0 ? "none" : workAtRisk.join(", ")}`,
    `Choices: ${options.join(", ")}`,
  ].join("\n");
}
