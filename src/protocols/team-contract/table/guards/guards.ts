import { isJsonArray, isJsonObject, member, showJson } from "../../../../core/values/json.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { isFresh } from "../../../../core/guards/fresh.ts";
import { ADOPTED } from "../../../../core/decide/start.ts";
import { ROOT } from "../../../../core/state/state.ts";
import { APPROVE_DESIGN_ID } from "../../files/names.ts";
import { checkGuards } from "./check.ts";
import { pathGuards } from "./paths.ts";
import { approvals, decisionEntry } from "../decisions.ts";
import { lateGuards } from "./late.ts";
import { missingLean } from "../lean.ts";

/** Guards of this family: contents of artifacts, decisions in status.json, conditions for starting. */
export const guards: Readonly<Record<string, Guard>> = {
  ...checkGuards,
  ...pathGuards,
  ...lateGuards,
  content,
  remarks,
  folder,
  context,
  "on-disk": onDisk,
  strategy,
  "approved-once": approvedOnce,
  "design-stands": designStands,
  "plan-fresh": planFresh,
  "in-loop": inLoop,
  "session-name": sessionName,
  "lean-criteria": leanCriteria,
  askable,
};

/** Every named file exists and has the content that the contract requires. */
function content(scope: Scope, args: JsonObject): string | undefined {
  const paths = isJsonArray(args["paths"]) ? args["paths"] : [];
  const failures = paths.flatMap((path) => contentFailures(scope, scope.fill(showJson(path))));
  return failures.length === 0 ? undefined : failures.join("; ");
}

/** The fact lists what is wrong with a file; null if there is no file. */
function contentFailures(scope: Scope, path: string): readonly string[] {
  const problems = scope.fact(`content:${path}`);
  if (problems === null) return [`${path} does not exist`];
  if (!isJsonArray(problems) || problems.length === 0) return [];
  return [`${path}: ${problems.slice(0, 10).map(showJson).join(", ")}`];
}

/** What could be understood but should be written differently. */
function remarks(scope: Scope, args: JsonObject): string | undefined {
  const path = scope.fill(showJson(args["path"]));
  const found = scope.fact(`remarks:${path}`);
  if (!isJsonArray(found) || found.length === 0) return undefined;
  return `${path}: ${found.slice(0, 5).map(showJson).join("; ")}`;
}

/** A folder of artifacts has at least one file, and nothing is wrong with any. */
function folder(scope: Scope, args: JsonObject): string | undefined {
  const found = scope.fact(scope.fill(showJson(args["fact"])));
  if (found === undefined) return undefined;
  const files = Object.entries(isJsonObject(found) ? found : {});
  if (files.length === 0) return `there is no ${showJson(args["what"])}`;
  const wrong = files.flatMap(([path, entry]) => {
    const problems = isJsonObject(entry) ? entry["problems"] : undefined;
    const named = isJsonArray(problems) ? problems.map(showJson) : [];
    return named.length === 0 ? [] : [`${path}: ${named.join(", ")}`];
  });
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

/** Everything the role must read exists and is usable, so that no agent has to guess. */
function context(scope: Scope, args: JsonObject): string | undefined {
  const failures = scope.fact(`context:${showJson(args["agent"])}`);
  if (!isJsonArray(failures) || failures.length === 0) return undefined;
  return failures.slice(0, 10).map(showJson).join("; ");
}

/** status.json agrees with the journal on this decision. An answer written by hand is not an answer. */
function onDisk(scope: Scope, args: JsonObject): string | undefined {
  const id = showJson(args["id"]);
  const decision = member(scope.workflow.decisions, id);
  const found = scope.fact(`decision:${id}`);
  if (found === undefined || decision === undefined) return undefined;
  const { status, answer } = decisionEntry(scope.workflow, decision);
  const same = isJsonObject(found) && found["status"] === status && found["answer"] === answer;
  if (same) return undefined;
  const says = isJsonObject(found) ? showJson(found["answer"]) : "nothing";
  return `status.json says ${says} for ${id}, but it was decided ${showJson(answer)}`;
}

function strategy(scope: Scope): string | undefined {
  const chosen = scope.workflow.vars["strategy"];
  if (chosen !== "per-batch" && chosen !== "single-final") return "no review strategy is chosen";
  return onDisk(scope, { id: "UD-REVIEW-STRATEGY" });
}

function approvedOnce({ workflow }: Scope): string | undefined {
  return approvals(workflow).length > 0 ? undefined : "the design was never approved";
}

/** The current design is approved. */
function designStands({ workflow, fact }: Scope): string | undefined {
  const given = approvals(workflow);
  if (given.some((bound) => isFresh(fact, bound))) return undefined;
  const [latest] = given;
  if (latest === undefined)
    return workflow.decisions[APPROVE_DESIGN_ID]?.settled?.by === ADOPTED
      ? "its files say that the design was approved, and nobody has said so here"
      : "the design was never approved";
  const changed = Object.entries(latest).filter(([key, value]) => !isFresh(fact, { [key]: value }));
  const names = changed.map(([key]) => key.slice(key.lastIndexOf(":") + 1));
  return `the approved design has changed since: ${names.join(", ")}`;
}

function planFresh(scope: Scope): string | undefined {
  const seeds = scope.fact(`tasks:${scope.workflow.id}`);
  if (seeds === undefined) return undefined;
  const tasks = isJsonArray(seeds) ? seeds.filter((one) => isJsonObject(one)) : [];
  if (tasks.length === 0) return "tasks.yaml has no task";
  const begun = tasks.filter((one) => one["status"] !== "not-started");
  return begun.length === 0
    ? undefined
    : begun.map((one) => `${showJson(one["id"])} is ${showJson(one["status"])}`).join(", ");
}

const LOOP: readonly string[] = ["IMPLEMENT_LOOP", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"];

/** A task may only be opened in a state in which it can be checked. */
function inLoop({ workflow }: Scope): string | undefined {
  const at = workflow.units[ROOT]?.at ?? "";
  return LOOP.includes(at) ? undefined : `the session is at ${at}`;
}

const SESSION_NAME = /^\d{4}-\d{2}-\d{2}_[a-z0-9]+(?:-[a-z0-9]+){1,3}$/;

function sessionName({ workflow }: Scope): string | undefined {
  return SESSION_NAME.test(workflow.id) ? undefined : `"${workflow.id}" is not a session name`;
}

function leanCriteria({ workflow }: Scope): string | undefined {
  const missing = missingLean(workflow.vars["lean"] ?? null);
  return missing.length === 0 ? undefined : `lean mode needs: ${missing.join("; ")}`;
}

/** A question asked by hand needs a text and an origin. Security asks through its report instead. */
function askable({ input }: Scope): string | undefined {
  const { question, origin } = input;
  if (typeof question !== "string" || question.trim() === "") return "the question has no text";
  return ["requirements", "design", "scope"].includes(showJson(origin))
    ? undefined
    : `"${showJson(origin)}" is no origin of a question`;
}
