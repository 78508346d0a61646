/** A team session from its goal to DONE: lean, or with everybody. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { WORKERS } from "../../../src/protocols/team-contract/words/agents.ts";
import { repository } from "../../e2e/cli.ts";
import { REPORT, TeamSession, startTeam } from "../../e2e/team.ts";
import type { Op } from "../model/script.ts";
import { recording } from "./story.ts";
import type { Story } from "./story.ts";

export function fullSession(): Story {
  return teamStory("a full session", ["approved", "per-batch"], false);
}

/** That a request is small enough is a person's to say: they begin it. */
export function leanSession(): Story {
  return teamStory("a lean session", [], true);
}

function teamStory(name: string, answers: readonly string[], lean: boolean): Story {
  const scratch = repository();
  const later = recording(scratch);
  const left = [...answers];
  let known: TeamSession | undefined;
  const session = (): TeamSession => {
    known ??= new TeamSession(
      later.scratch,
      readdirSync(join(scratch.top, ".agents-work"))[0] ?? "",
    );
    known.lean = lean;
    return known;
  };
  const options = { goal: "Add dark mode!" };
  return {
    name,
    scratch,
    prepare: () => {
      if (lean) startTeam({ repo: scratch, goal: "Fix typo", flags: ["--lean"] });
    },
    begin: lean ? { mcp: "next" } : { mcp: "start", args: { protocol: "team-contract", options } },
    own: () => {
      const wants =
        lean && session().at() === "INTEGRATE" && !scratch.has(session().path("report.md"));
      if (wants) session().file("report.md", REPORT);
      return later.taken();
    },
    person: () => {
      const reply = scratch.hold(["answer", session().id, left.shift() ?? "approved"]);
      if (reply.exit !== 0) throw new Error(reply.stdout);
    },
    work: (agent, order) => {
      const role = WORKERS.find(({ name }) => name === agent)?.role;
      const report = session().play(role ?? agent);
      return { does: [...reading(scratch.top, order), ...later.taken()], report };
    },
    isOver: () => session().at() === "DONE",
  };
}

/** What its order lists, read before anything is written. */
function reading(top: string, order: string): readonly Op[] {
  const [, list = ""] = /context_files\W+?\[([^\]]*)\]/.exec(order) ?? [];
  const files = [...list.matchAll(/[\w./-]{2,}/g)].map(([file]) => join(top, file));
  return files.length === 0 ? [] : [{ shell: `cat ${files.map((one) => `'${one}'`).join(" ")}` }];
}
