import { CHECK_GUARDS } from "./checked.ts";
import { childrenOf, matches } from "../decide/draft.ts";
import { isFresh } from "./fresh.ts";
import { isJsonObject, member, showJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { list, text, texts } from "../values/json-read.ts";
import type { CheckedGuard, Scope } from "../table/row.ts";
import { ROOT } from "../state/state.ts";
import { isUnknown, whyUnknown } from "../values/unknown.ts";
import { WORK_GUARDS } from "./work-guards.ts";

/** The guards available to every protocol, each with the arguments it takes. */
export const LIBRARY: Readonly<Record<string, CheckedGuard>> = {
  exists: { check: guardExists, args: { paths: "texts" } },
  changed: { check: guardChanged, args: { paths: "texts" } },
  sealed: { check: guardSealed, args: { paths: "texts?" } },
  fact: { check: guardFact, args: { fact: "fact", in: "values", says: "text?" } },
  var: { check: guardVar, args: { name: "variable", in: "values" } },
  claim: { check: guardClaim, args: { field: "text", in: "values" } },
  is: { check: guardIs, args: { text: "text", in: "texts?" } },
  units: {
    check: guardUnits,
    args: { kind: "kind", in: "texts?", where: "object?", some: "flag?" },
  },
  ...CHECK_GUARDS,
  ...WORK_GUARDS,
  finding: {
    check: guardFinding,
    args: { kind: "text", in: "values", on: "root?", since: "state?" },
  },
  released: {
    check: guardReleased,
    args: { question: "question", options: "texts", on: "root?" },
  },
  people: { check: guardPeople, args: { count: "number", questions: "questions?" } },
  quiet: { check: guardQuiet, args: {} },
};

/** Every named file exists and can be read. */
function guardExists(scope: Scope, args: JsonObject): string | undefined {
  const found = texts(args["paths"])
    .map((path) => scope.fill(path))
    .map((path) => ({ path, now: scope.fact(`digest:${path}`) }));
  const missing = found.filter(({ now }) => now === null).map(({ path }) => path);
  const odd = found.filter(({ now }) => isUnknown(now));
  const sentences = [
    ...(missing.length === 0
      ? []
      : [`${missing.join(", ")} ${missing.length === 1 ? "does" : "do"} not exist`]),
    ...odd.map(({ path, now }) => `${path} ${whyUnknown(now)}`),
  ];
  return sentences.length === 0 ? undefined : sentences.join("; ");
}

/** Every named file differs from the last commit. If that cannot be determined, the guard fails. */
function guardChanged(scope: Scope, args: JsonObject): string | undefined {
  const same = texts(args["paths"])
    .map((path) => scope.fill(path))
    .filter((path) => ![true, undefined].includes(readFlag(scope, `changed:${path}`)));
  return same.length === 0 ? undefined : `${same.join(", ")} did not change`;
}

function readFlag(scope: Scope, key: string): boolean | undefined {
  const value = scope.fact(key);
  return value === undefined ? undefined : value === true;
}

/** No sealed file has changed, gone or reappeared since it was sealed. Files named here must have been sealed. */
function guardSealed(scope: Scope, args: JsonObject): string | undefined {
  const { seals } = scope.workflow;
  const named = texts(args["paths"]).map((path) => scope.fill(path));
  const open = named.filter((path) => typeof member(seals, path)?.digest !== "string");
  if (open.length > 0) return `${open.join(", ")} ${open.length === 1 ? "is" : "are"} not sealed`;
  const broken = Object.values(seals).flatMap((seal) => {
    if (named.length > 0 && !named.includes(seal.artifact)) return [];
    const now = scope.fact(`digest:${seal.artifact}`);
    if (now === undefined || now === seal.digest) return [];
    if (seal.digest === null) return [`${seal.artifact} was sealed as absent, and is there now`];
    const why = isUnknown(now) ? whyUnknown(now) : now === null ? "is gone" : "changed";
    return [`${seal.artifact} ${why} since it was sealed`];
  });
  return broken.length === 0 ? undefined : broken.join("; ");
}

/** A fact has one of the wanted values. */
function guardFact(scope: Scope, args: JsonObject): string | undefined {
  const key = scope.fill(text(args["fact"]));
  const value = scope.fact(key);
  if (value === undefined || list(args["in"]).some((one) => same(one, value))) return undefined;
  const said = args["says"];
  if (typeof said === "string") return `${scope.fill(said)}${detailOf(value)}`;
  return `${key} is ${JSON.stringify(value)}`;
}

/** A fact may explain itself in a field `why`. */
function detailOf(value: Json): string {
  const why = isJsonObject(value) ? (value["why"] ?? value["unknown"]) : undefined;
  return typeof why === "string" ? `: ${why}` : "";
}

function guardVar(scope: Scope, args: JsonObject): string | undefined {
  const name = text(args["name"]);
  const value = scope.workflow.vars[name] ?? null;
  if (list(args["in"]).some((one) => same(one, value))) return undefined;
  return `${name} is ${JSON.stringify(value)}`;
}

function guardClaim(scope: Scope, args: JsonObject): string | undefined {
  const field = text(args["field"]);
  const value = scope.claim?.[field] ?? null;
  const wanted = list(args["in"]).map((one) => (typeof one === "string" ? scope.fill(one) : one));
  if (wanted.some((one) => same(one, value))) return undefined;
  return `the report says ${field} is ${JSON.stringify(value)}, expected ${wanted.map((one) => JSON.stringify(one)).join(" or ")}`;
}

/** A filled template is one of these texts; without a list, it is not empty. */
function guardIs(scope: Scope, args: JsonObject): string | undefined {
  const value = scope.fill(text(args["text"]));
  const name = text(args["text"])
    .replaceAll(/[{}]/g, "")
    .replace(/^input\./, "");
  if (args["in"] === undefined) return value === "" ? `${name} is not given` : undefined;
  const wanted = texts(args["in"]).map((one) => scope.fill(one));
  if (wanted.includes(value)) return undefined;
  return `${name} is ${value === "" ? "not given" : `"${value}"`}, expected ${wanted.join(" or ")}`;
}

/**
 * All units of a kind (that match `where`) are in one of the given states. An empty list means that there must be
 * no such unit. With `some`, at least one must exist.
 */
function guardUnits(scope: Scope, args: JsonObject): string | undefined {
  const where = isJsonObject(args["where"]) ? args["where"] : {};
  const units = childrenOf(scope.workflow, text(args["kind"])).filter((unit) =>
    matches(unit, where),
  );
  if (args["some"] === true && units.length === 0) return `there is no ${text(args["kind"])}`;
  if (args["in"] === undefined) return undefined;
  const late = units.filter((unit) => !texts(args["in"]).includes(unit.at)).map((unit) => unit.id);
  return late.length === 0
    ? undefined
    : `${late.join(", ")} not yet ${texts(args["in"]).join(" or ")}`;
}

/** A fresh finding of this kind has one of the wanted values. */
function guardFinding(scope: Scope, args: JsonObject): string | undefined {
  const kind = text(args["kind"]);
  const on = args["on"] === "root" ? ROOT : scope.unit.id;
  const wanted = list(args["in"]);
  const since = scope.workflow.units[ROOT]?.entered[text(args["since"])] ?? 0;
  const found = Object.values(scope.workflow.findings).some(
    (one) =>
      one.kind === kind &&
      one.unit === on &&
      one.seq > since &&
      wanted.some((value) => same(value, one.value)) &&
      isFresh(scope.fact, one.bound),
  );
  return found
    ? undefined
    : `no fresh ${kind} ${wanted.map((value) => showJson(value)).join(" or ")}`;
}

/** The question was answered for this unit with one of the options, and what it was about has not changed. */
function guardReleased(scope: Scope, args: JsonObject): string | undefined {
  const question = text(args["question"]);
  const options = texts(args["options"]);
  const unit = args["on"] === "root" ? ROOT : scope.unit.id;
  const released = Object.values(scope.workflow.decisions).some(
    (decision) =>
      decision.question === question &&
      decision.unit === unit &&
      decision.status === "answered" &&
      options.includes(decision.settled?.option ?? "") &&
      isFresh(scope.fact, decision.bound),
  );
  return released ? undefined : `"${question}" is not released for what is there now`;
}

/** So many different people have answered, about what is there now. */
function guardPeople(scope: Scope, args: JsonObject): string | undefined {
  const count = typeof args["count"] === "number" ? args["count"] : 1;
  const questions = texts(args["questions"]);
  const people = new Set(
    Object.values(scope.workflow.decisions)
      .filter((one) => questions.length === 0 || questions.includes(one.question))
      .filter((one) => one.status === "answered" && isFresh(scope.fact, one.bound))
      .flatMap((one) => [one.settled?.by ?? "", ...Object.keys(one.joined ?? {})])
      .filter((by) => by.startsWith("person:")),
  );
  return people.size >= count
    ? undefined
    : `${people.size} of ${count} different people have decided`;
}

function guardQuiet(scope: Scope): string | undefined {
  const open = Object.values(scope.workflow.decisions).filter((one) => one.status === "open");
  return open.length === 0
    ? undefined
    : `${open.map((one) => one.id).join(", ")} waits for an answer`;
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
