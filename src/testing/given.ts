import type { Answer } from "../core/decide/answer.ts";
import type { Actor, Claim, Command, Envelope } from "../core/state/commands.ts";
import { emptyWorkflow, evolve } from "../core/state/evolve.ts";
import type { Json } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import { runKey } from "../core/decide/work/run.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import { checkRefusals, checkReplays, decideFully, foldAsRead, runCommand } from "./decided.ts";
import type { Decided, JournalRecord } from "./decided.ts";
import { must, mustBeSame } from "./same.ts";
import { AGENT, ENGINE } from "./story.ts";
import type { As, Story } from "./story.ts";
import { lookUp } from "./world.ts";
import type { StoryWorld } from "./world.ts";
import { remedyText } from "../core/table/remedy.ts";

const MINUTE_MS = 60_000;

/**
 * Starts a story with a protocol and a world. The story takes the place of the engine: it looks up facts,
 * decides, folds the events, and checks after every step what must always hold.
 */
export function given(protocol: Protocol, world: StoryWorld = {}): Story {
  const { workflow = "it", files = {} } = world;
  return tell(protocol, {
    world,
    given: {},
    files,
    records: [],
    state: emptyWorkflow(workflow),
    folded: emptyWorkflow(""),
    steps: 0,
    last: { kind: "refused", refusals: [] },
  });
}

interface Past {
  readonly world: StoryWorld;
  given: Readonly<Record<string, Json>>;
  files: Readonly<Record<string, string>>;
  records: readonly JournalRecord[];
  state: Workflow;
  /** The state folded a second time, from what a journal would return. */
  folded: Workflow;
  steps: number;
  last: Decided;
}

function tell(protocol: Protocol, past: Past): Story {
  const now: Past = { ...past };
  const self: Story = {
    get state() {
      return now.state;
    },
    get answer(): Answer {
      return now.last;
    },
    get events() {
      return now.last.kind === "accepted" || now.last.kind === "held" ? now.last.events : [];
    },
    get refusals() {
      return now.last.kind === "refused" ? now.last.refusals : [];
    },
    get history() {
      return now.records.flatMap((one) => one.events);
    },
    get open() {
      return Object.values(now.state.decisions).filter((one) => one.status === "open");
    },
    given: (facts) => {
      now.given = { ...now.given, ...facts };
      return self;
    },
    write: (files) => {
      const all = Object.entries({ ...now.files, ...files });
      now.files = Object.fromEntries(
        all.flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
      );
      return self;
    },
    when: (command, as) => {
      take(protocol, now, command, as);
      return self;
    },
    ...commandsOf(now, () => self),
    ...expectationsOf(now, () => self),
    fork: () => tell(protocol, now),
  };
  return self;
}

type Commands = Pick<Story, "start" | "move" | "send" | "report" | "reply" | "settle">;

function commandsOf(now: Past, self: () => Story): Commands {
  return {
    start: (vars = {}, as) =>
      self().when({ type: "workflow.start", workflow: now.state.id, vars }, as),
    move: (move, { unit = ROOT, reason, ...as } = {}) =>
      self().when(
        { type: "unit.move", unit, move, ...(reason === undefined ? {} : { reason }) },
        as,
      ),
    send: (spec, unit = ROOT, as) => self().when({ type: "dispatch.send", spec, unit }, as),
    report: (claim = {}, as = AGENT) => {
      const out = Object.values(now.state.dispatches).findLast((one) => one.status !== "ended");
      if (out === undefined) throw new Error("Nothing is handed out in this story");
      const full: Claim = { agent: out.role, outcome: "success", ...claim };
      return self().when({ type: "dispatch.report", dispatch: out.id, claim: full }, as);
    },
    reply: (question, text, { reason, ...as } = {}) => {
      const decision = self().open.findLast((one) => one.question === question);
      if (decision === undefined) throw new Error(`"${question}" is not open in this story`);
      const { id, nonce } = decision;
      const why = reason === undefined ? {} : { reason };
      return self().when({ type: "decision.answer", decision: id, nonce, text, ...why }, as);
    },
    settle: (status = "done") => {
      const wanted = Object.values(now.state.effects).filter((one) => one.status === "wanted");
      const detail = status === "failed" ? { message: "disk full" } : {};
      for (const { id } of wanted)
        self().when({ type: "effect.settle", effect: id, status, detail }, ENGINE);
      return self();
    },
  };
}

type Expectations = Pick<Story, "expectAccepted" | "expectHeld" | "expectRefused" | "expectAt">;

function expectationsOf(now: Past, self: () => Story): Expectations {
  const expect = (expected: string): Story => {
    mustBeSame(summary(now), expected, `The last step was not as expected.${reasons(now)}`);
    return self();
  };
  return {
    expectAccepted: () => expect("accepted"),
    expectHeld: (question) => {
      const open = self().open.map((one) => one.question);
      return now.last.kind === "held" && open.includes(question)
        ? self()
        : expect(`held with ${question}`);
    },
    expectRefused: (...codes) => expect(`refused with ${codes.join(", ")}`),
    expectAt: (state, unit = ROOT) => {
      const name = unit === ROOT ? now.state.id : unit;
      mustBeSame(now.state.units[unit]?.at ?? null, state, `${name} does not stand where expected`);
      return self();
    },
  };
}

/** A summary of an answer whose differences are easy to read in a failed test. */
function summary({ last, state }: Past): string {
  if (last.kind === "refused")
    return `refused with ${last.refusals.map((one) => one.code).join(", ")}`;
  if (last.kind !== "held") return last.kind;
  const open = Object.values(state.decisions).filter((one) => one.status === "open");
  return `held with ${open.map((one) => one.question).join(", ")}`;
}

function reasons({ last }: Past): string {
  if (last.kind !== "refused") return "";
  return last.refusals.map(({ message, fix }) => `\n  ${message}. ${remedyText(fix)}`).join("");
}

/** Decides a command and applies its events. A refused command changes nothing. */
function take(protocol: Protocol, now: Past, command: Command, as: As = {}): void {
  const envelope = envelopeOf(now, as);
  now.steps += 1;
  const look = (key: string): Json => lookUp(now, key);
  const { checks } = now.world;
  const ran: string[] = [];
  let last = decideWith(checks === undefined ? undefined : ran);
  while (last.kind === "runs") {
    for (const run of last.runs) {
      const value = checks?.[run.check];
      if (value !== undefined && value !== "none")
        take(protocol, now, runCommand(run, value, look), ENGINE);
      ran.push(runKey(run));
    }
    last = decideWith(ran);
  }
  now.last = last;
  if (last.kind === "refused") checkRefusals(last.refusals);
  else if (last.events.length > 0) {
    checkReplays(protocol, now.state, { envelope, command, ...last });
    append(now, envelope, last.events);
  }

  function decideWith(done: readonly string[] | undefined): Decided {
    const asked = { state: now.state, envelope, command };
    return decideFully(protocol, done === undefined ? asked : { ...asked, ran: [...done] }, look);
  }
}

function append(now: Past, envelope: Envelope, events: JournalRecord["events"]): void {
  const stamp = { seq: now.state.seq + 1, at: envelope.at };
  const record = { stamp, events };
  now.state = events.reduce((state, event) => evolve(state, event, stamp), now.state);
  now.records = [...now.records, record];
  now.folded = foldAsRead(now.folded, record);
  mustBeSame(now.folded, now.state, "Folding all events must give the state");
}

const ada: Actor = { kind: "person", name: "ada" };

function envelopeOf({ world, steps }: Past, as: As): Envelope {
  const { begins = "2026-03-01T10:00:00.000Z" } = world;
  const at = new Date(Date.parse(begins) + steps * MINUTE_MS).toISOString();
  must(!Number.isNaN(Date.parse(at)), `"${begins}" is no time`);
  return { id: `c${steps + 1}`, at, session: "s-1", actor: ada, ...as };
}
