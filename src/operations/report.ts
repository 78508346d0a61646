import { textBody } from "../files/text.ts";
import type { Refusal, Remedy } from "../core/decide/answer.ts";
import type { Claim } from "../core/state/commands.ts";
import { isJsonArray, member } from "../core/values/json.ts";
import { pathIn } from "../core/values/paths.ts";
import type { Dispatch, Workflow } from "../core/state/state.ts";
import { aside } from "../engine/caller.ts";
import { act } from "../engine/engine.ts";
import type { Finding, Found } from "../engine/engine.ts";
import { noteRefused } from "../engine/intake/refused.ts";
import { readJsonText } from "../files/json/source.ts";
import { severalOut } from "../engine/step.ts";
import { goFar } from "./advance.ts";
import { answerTo, refusedAnswer, refusedIn, standingOf } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { freshOrder, openWorkflow, withEdits } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";
import { remedy } from "../core/table/remedy.ts";

export type ReportInput = {
  readonly workflow: string;
  readonly text: string;
  readonly dispatch?: string;
  readonly far?: boolean;
};

/** The limit for a report. A longer one probably contains the files themselves. */
export const REPORT_BYTES_MAX: number = 4 * 1024 * 1024;

export const report: Operation<ReportInput, Answered<Taken>> = told({
  name: "report",
  purpose: "Give an agent's report; it counts only if the evidence holds",
  input: inputOf<ReportInput>({
    required: {
      workflow: text("which workflow"),
      text: text("the report, as the agent wrote it"),
    },
    optional: {
      dispatch: text("which dispatch it answers; needed where several are open"),
      far: flag("then go on until somebody has to act, where this session has handed it out"),
    },
  }),
  result: TAKEN,
  examples: [
    { workflow: "TapeDelay", text: "report.json" },
    { workflow: "TapeDelay", text: "-", dispatch: "d2" },
  ],
  run,
});

async function run(context: Context, input: ReportInput): Promise<Answered<Taken>> {
  const bytes = Buffer.byteLength(input.text);
  if (bytes > REPORT_BYTES_MAX) return refusedAnswer([tooLarge("this one", String(bytes))]);
  const first = await openWorkflow(context, input.workflow);
  if ("ok" in first) return first;
  const chosen = chooseDispatch(first.state, input.dispatch);
  if (chosen.kind === "refused") return refusedIn(first, chosen.refusals);
  const { dispatch } = chosen;
  const others = input.dispatch === undefined ? besides(first, dispatch) : [];
  if (others.length > 0) {
    const { id } = first.state;
    return refusedIn(first, [severalOut(id, [...others, dispatch], nameIt(id))]);
  }
  // Edits that would end this same dispatch are not taken in, because the report given here is the one that
  // counts.
  const found = await withEdits(
    context,
    first,
    (one) => one.type === "dispatch.report" && one.dispatch === dispatch.id,
  );
  if ("ok" in found) return found;
  const answer = await takeReport(context, found, dispatch, textBody(input.text));
  const { caller } = context;
  const goesOn = input.far === true && "events" in answer && dispatch.session === caller.session;
  return goesOn ? await goFar({ ...context, caller: aside(caller) }, answer) : answer;
}

export function tooLarge(what: string, bytes: string): Refusal {
  return {
    code: "report-too-large",
    message: `A report has at most ${REPORT_BYTES_MAX} bytes; ${what} has ${bytes}`,
    fix: "Report what was done, not the files themselves.",
    rule: "core",
  };
}

/** The named dispatch, or the only one the report can be for. */
export function chooseDispatch(
  { id, dispatches }: Workflow,
  wanted: string | undefined,
): Finding<{ readonly kind: "dispatch"; readonly dispatch: Dispatch }> {
  const all = Object.values(dispatches);
  const open = all.filter((one) => one.status === "open");
  const parked = all.filter((one) => one.status === "parked");
  const waiting = open.length > 0 ? open : parked;
  const fitting = wanted === undefined ? waiting : all.filter((one) => one.id === wanted);
  const [dispatch] = fitting;
  if (fitting.length === 1 && dispatch !== undefined) return { kind: "dispatch", dispatch };
  const refusal: Refusal =
    fitting.length > 1
      ? severalOut(id, fitting, nameIt(id))
      : {
          code: "dispatch-unknown",
          message:
            wanted === undefined
              ? `${id} has handed out no work that is still open`
              : `${id} never handed out ${wanted}`,
          fix: remedy("next", { workflow: id }, "See what is open"),
          rule: "core",
        };
  return { kind: "refused", refusals: [refusal] };
}

function nameIt(id: string): Remedy {
  return remedy("report", { workflow: id, dispatch: "<id>" }, "Name the dispatch that is meant");
}

/** Other work of the same kind that is out at the same time; the report may be about any of it. */
function besides({ family, state }: Found, { spec, unit, sentAt }: Dispatch): readonly Dispatch[] {
  if (member(family.protocol.work, spec)?.parallel !== true) return [];
  return Object.values(state.dispatches).filter(
    (one) =>
      one.spec === spec && one.unit !== unit && (one.endedAt === null || one.endedAt > sentAt),
  );
}

async function takeReport(
  { parts, caller, progress }: Context,
  found: Found,
  dispatch: Dispatch,
  given: string,
): Promise<Answered<Taken>> {
  const { family, state } = found;
  const twice = saidTwice(given);
  const read =
    twice === undefined
      ? family.work.read(given, dispatch, state)
      : ({ kind: "refused", refusals: [twice] } as const);
  if (read.kind === "refused") {
    const { actor, session } = caller;
    await noteRefused(parts, family, {
      workflow: state.id,
      command: "dispatch.report",
      step: `${dispatch.id}/${dispatch.role}`,
      actor: `${actor.kind}:${actor.name}`,
      ...(actor.agent === undefined ? {} : { agent: actor.agent }),
      session,
      refusals: read.refusals,
    });
    return refusedIn(found, read.refusals);
  }
  if (read.kind === "advice") {
    const note = { type: "note.add", list: "advice", tag: dispatch.id, text: read.text } as const;
    return answerTo(await act(parts, found, note, caller), found);
  }
  if (read.kind === "report") for (const warning of read.warnings) progress?.(`! ${warning}`);
  const claim = withPlainPaths(parts.workspace.root, read.claim);
  const command = { type: "dispatch.report", dispatch: dispatch.id, claim } as const;
  const outcome = await act(parts, found, command, caller);
  if (read.kind === "report" || outcome.kind === "refused" || outcome.kind === "failed")
    return answerTo(outcome, found, await freshOrder(parts, found, outcome));
  // The attempt is recorded, but whoever sent it must not take that for success.
  const now = { family, state: outcome.state };
  const { closing } = family.words.describe(now.state);
  return {
    ...refusedIn(now, read.refusals, standingOf(now)),
    ...(closing === undefined ? {} : { closing }),
  };
}

/** A key used twice makes the report ambiguous: some readers take the first value, others the last. */
function saidTwice(given: string): Refusal | undefined {
  const { problems } = readJsonText(given.slice(given.indexOf("{"), given.lastIndexOf("}") + 1));
  const [first] = problems;
  if (first?.kind !== "duplicate") return undefined;
  const { message } = first;
  return {
    code: "report-ambiguous",
    message,
    fix: "Say it once, then report again.",
    rule: "core",
  };
}

/** Writes paths as they are in the tree, so that they can be compared and bound. */
function withPlainPaths(root: string, claim: Claim): Claim {
  const { files } = claim;
  if (!isJsonArray(files)) return claim;
  const plain = files.map((one) => (typeof one === "string" ? pathIn(root, one) : one));
  return { ...claim, files: plain };
}
