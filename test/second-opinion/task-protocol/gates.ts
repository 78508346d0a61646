/** The two scripted gates: nine checks on the way out of REQUIREMENTS, seven guards on the way into IMPLEMENTATION. */
import { dirname, join } from "node:path";
import { sectionsOf } from "../markdown.ts";
import { PLAN_FLAG, type TaskFiles, logOf, realPath, stateOf } from "./files.ts";

/** The numbers of the checks that fail, in order; the script stops at the first. */
export function failedChecks(files: TaskFiles): readonly number[] {
  const { lock, asker, code, agents, statuses, reports } = files;
  const moved = (from: string, to: string): boolean =>
    logOf(lock).some((one) => one.from === from && one.to === to);
  const place = (agent: string): string => join(dirname(code), "agents", agent, "code");
  const status = (agent: string): unknown => statuses[agent]?.["status"];
  const holds = [
    stateOf(files) === "REQUIREMENTS",
    lock?.["session_id"] === asker.session,
    realPath(asker.cwd) === realPath(code) && realPath(code) !== undefined,
    ["Task Objective", "Scope Definition", "Stakeholder Agent Reports"].every((section) =>
      hasSection(files, section),
    ),
    agents.length > 0 && agents.every((agent) => realPath(place(agent)) !== undefined),
    agents.every((agent) => status(agent) === "COMPLETE"),
    agents.every((agent) => (reports[agent] ?? 0) >= 100),
    moved("INIT", "CLASSIFIED") && moved("CLASSIFIED", "REQUIREMENTS"),
    agents.every((agent) => status(agent) !== "ERROR"),
  ];
  return failed(holds);
}

/** The last one only reads out a reminder, and always passes. */
export function failedGuards(files: TaskFiles): readonly number[] {
  const { texts, reports } = files;
  const text = texts["task.md"];
  const holds = [
    text !== undefined,
    hasSection(files, "Stakeholder Agent Reports"),
    Object.values(reports).some((size) => size !== undefined),
    /implementation plan/i.test(text ?? ""),
    texts[PLAN_FLAG] !== undefined,
    stateOf(files) === "SYNTHESIS",
    true,
  ];
  return failed(holds);
}

function failed(holds: readonly boolean[]): readonly number[] {
  return holds.flatMap((one, index) => (one ? [] : [index + 1]));
}

export function hasSection({ texts }: TaskFiles, title: string): boolean {
  const text = texts["task.md"];
  return (
    text !== undefined && sectionsOf(text).some((one) => one.level === 2 && one.title === title)
  );
}
