/** A task from the list to the merged commit: of LOW risk, which the coordinator does itself, or of HIGH risk. */
import { dirname, join } from "node:path";
import { renderTaskMd } from "../../task-md.ts";
import {
  APPROVED,
  ID,
  PLAN,
  SCOPES,
  WORK_DONE,
  taskIn,
  taskRepository,
  writeRequirements,
} from "../../e2e/task.ts";
import type { Risk } from "../../e2e/task.ts";
import type { Op } from "../model/script.ts";
import { recording } from "./story.ts";
import type { Story, Work } from "./story.ts";

export function lowTask(): Story {
  return taskStory("a LOW task", "LOW");
}

export function highTask(): Story {
  return taskStory("a HIGH task", "HIGH");
}

/** Whom the plan gives the work. */
const PLANNED = "architect";

function taskStory(name: string, risk: Risk): Story {
  const scratch = taskRepository({ [ID]: SCOPES[risk] });
  const file = SCOPES[risk];
  const later = recording(scratch);
  const task = taskIn(scratch, ID);
  const heard = { ...task, scratch: later.scratch };
  const md = `${task.dir}/task.md`;
  const at = (): string =>
    stateOf(scratch.has(`${task.dir}/state.json`) ? scratch.read(`${task.dir}/state.json`) : "");
  let [planned, released, coded] = [false, false, false];
  const own = (): readonly Op[] => {
    if (at() === "INIT" && !(scratch.has(md) && scratch.read(md).includes("Write it.")))
      later.scratch.write(
        md,
        renderTaskMd({ task: ID, objective: "Write it.", inScope: [file], outOfScope: [] }),
      );
    if (at() === "SYNTHESIS" && !planned) {
      planned = true;
      later.scratch.write(md, `${scratch.read(md)}${PLAN([file])}`);
    }
    if (risk === "LOW" && released && !coded) {
      coded = true;
      return [committing(task.code, file, `Do ${ID}`)];
    }
    return later.taken();
  };
  const work = (role: string, order: string): Work => {
    if (order.includes("FINAL DECISION")) return { does: [], report: APPROVED };
    if (at() === "REQUIREMENTS") {
      writeRequirements(heard, role);
      return { does: later.taken(), report: '{"status": "COMPLETE"}' };
    }
    const place = join(scratch.top, task.dir, "agents", role, "code");
    const mine = role === PLANNED && !coded;
    const does = mine ? [committing(place, file, `[${role}] ${file}`)] : [];
    coded ||= mine;
    return { does, report: WORK_DONE };
  };
  return {
    name,
    scratch,
    begin: {
      mcp: "start",
      args: { workflow: ID, protocol: "task-protocol", options: { feasibility: "yes" } },
    },
    own,
    person: () => {
      released = true;
      const reply = task.answer("approve");
      if (reply.exit !== 0) throw new Error(reply.stdout);
    },
    work,
    isOver: () => scratch.read("changelog.md").includes(ID) && !scratch.has(`${task.dir}/code`),
  };
}

function stateOf(text: string): string {
  return /"(?:current_state|state|status)":\s*"([A-Z_]+)"/.exec(text)?.[1] ?? "";
}

/** An agent works in its own worktree, and commits there. */
function committing(place: string, file: string, subject: string): Op {
  const path = join(place, file);
  return {
    shell: `cd '${place}' && mkdir -p '${dirname(path)}' && printf 'one\\n' > '${path}' && git add --all && git commit --quiet -m '${subject}'`,
  };
}
