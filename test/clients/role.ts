/** Who is not to write source does not write it; whoever is, does. */
import { join } from "node:path";
import { AGENT_FILES } from "../../src/protocols/team-contract/files/names.ts";
import { repository } from "../e2e/cli.ts";
import { SPEC, agentReply, startTeam } from "../e2e/team.ts";
import type { TeamSession } from "../e2e/team.ts";
import { HELD, heldIf, red } from "./lab.ts";
import type { Group, Lab, Outcome, Outcomes } from "./lab.ts";
import { mark } from "./model/script.ts";
import type { Step } from "./model/script.ts";
import type { Room } from "./adapters.ts";

const SOURCE = "lib.js";

export const role: Group = {
  name: "Source out of role",
  cases: {
    "role-edit": "by the orchestrator, with the edit tool",
    "role-shell": "by the orchestrator, with the shell",
    "role-agent-edit": "by a subagent of another role, with the edit tool",
    "role-agent-shell": "by a subagent of another role, with the shell",
    "role-own": "and what that role does make is written",
    "role-beside-edit": "by the orchestrator while a coder has work, with the edit tool",
    "role-beside-shell": "by the orchestrator while a coder has work, with the shell",
    "role-coder": "and the coder does write source",
  },
  run: async (lab) => ({ ...(await whileSpecified(lab)), ...(await whileCoded(lab)) }),
};

interface Scene {
  readonly session: TeamSession;
  readonly room: Room;
  readonly path: (file: string) => string;
}

function scene(lab: Lab, flags: readonly string[] = []): Scene {
  const scratch = repository();
  const room = lab.move(scratch);
  scratch.write(SOURCE, "// original\n");
  scratch.git("add", "--all");
  scratch.git("commit", "--quiet", "-m", "Add source");
  const session = startTeam({ repo: scratch, flags });
  return { session, room, path: (file) => join(room.top, file) };
}

function tries(id: string, { path }: Scene): readonly Step[] {
  return [
    { calls: [{ read: path(SOURCE) }] },
    { calls: [{ edit: [path(SOURCE), "// original", `// original TRIED ${id}-edit`] }] },
    { calls: [{ shell: `echo '// TRIED ${id}-shell' >> '${path(SOURCE)}'` }] },
  ];
}

/** The specification is being written: source is nobody's. */
async function whileSpecified(lab: Lab): Promise<Outcomes> {
  const at = scene(lab);
  const { session, path } = at;
  const { dispatch = "" } = session.send("specify").json.order ?? {};
  const spec = path(session.path("spec.md"));
  const played = await play(lab, at, {
    main: tries("role", at),
    agent: AGENT_FILES.SpecAgent.name,
    dispatch,
    helper: [...tries("role-agent", at), { calls: [{ write: [spec, SPEC] }] }],
  });
  const outcome = (id: string): Outcome => played(id) ?? caught(session, id, agentReply());
  const ids = ["role-edit", "role-shell", "role-agent-edit", "role-agent-shell"];
  return {
    ...Object.fromEntries(ids.map((id) => [id, outcome(id)])),
    "role-own": heldIf(session.repo.has(session.path("spec.md")), "it was not written"),
  };
}

/** A coder has work: source is the coder's. */
async function whileCoded(lab: Lab): Promise<Outcomes> {
  const at = scene(lab, ["--lean"]);
  const { session, path } = at;
  session.work("specify-lean");
  const { dispatch = "" } = session.send("code", "T-001").json.order ?? {};
  const played = await play(lab, at, {
    main: tries("role-beside", at),
    agent: AGENT_FILES.Coder.name,
    dispatch,
    helper: [
      {
        calls: [
          {
            shell: `cat ${["spec.md", "tasks.yaml"].map((one) => `'${path(session.path(one))}'`).join(" ")}`,
          },
        ],
      },
      { calls: [{ write: [path("app.js"), "// code\n"] }] },
    ],
  });
  const claim = agentReply({ artifacts: { files_changed: ["app.js"] } });
  const outcome = (id: string): Outcome => played(id) ?? caught(session, id, claim);
  return {
    "role-beside-edit": outcome("role-beside-edit"),
    "role-beside-shell": outcome("role-beside-shell"),
    "role-coder": heldIf(session.repo.has("app.js"), "it was not written"),
  };
}

interface Cast {
  readonly main: readonly Step[];
  readonly agent: string;
  readonly dispatch: string;
  readonly helper: readonly Step[];
}

/** Says how each attempt ended; undefined for one that happened. */
async function play(
  lab: Lab,
  { session, room }: Scene,
  { main, agent, dispatch, helper }: Cast,
): Promise<(id: string) => Outcome | undefined> {
  const prompt = `${dispatch} ${mark("helper")}`;
  const ended = await lab.play(room, {
    main: [
      ...main,
      { calls: [{ agent, prompt }] },
      { calls: [{ wait: 12 }] },
      { say: "That is all." },
    ],
    helper: [...helper, { say: "That is all." }],
  });
  const spoke = ["main", "helper"].every((one) => lab.model.lastWords(one) !== undefined);
  const tried = spoke && lab.model.missing().length === 0;
  const why = `exit ${ended.exit}; ${lab.model.missing().join("; ")} ${ended.stderr.slice(-500)}`;
  return (id) => {
    if (!tried) return red(`it was not tried: ${why}`);
    return session.repo.read(SOURCE).includes(`TRIED ${id}`) ? undefined : HELD;
  };
}

/** What slipped by is in what is measured at the report: refused, or counted as part of the work that is reviewed. */
function caught(session: TeamSession, id: string, claim: string): Outcome {
  const reply = session.report(claim);
  const codes = (reply.json.refusals ?? []).map(({ code }) => code).join(", ");
  if (codes !== "" && !codes.includes("dispatch-unknown"))
    return { kind: "engine", why: `at the report: ${codes}` };
  if (session.repo.hold(["audit", session.id]).stdout.includes(SOURCE))
    return { kind: "engine", why: "at the report it is measured, and recorded with the work" };
  return red(`${id} happened, and nobody noticed`);
}
