import { canonicalJson, member } from "../values/json.ts";
import type { Json } from "../values/json.ts";
import { readStatement } from "../decide/decisions/statement.ts";
import { ruleOf, STRENGTHS } from "../state/policy.ts";
import type { Decision } from "../state/state.ts";
import { countJoined } from "../state/voices.ts";
import type { Check, Scene } from "./scene.ts";
import { happened } from "./words.ts";

/**
 * Checks that questions are answered once, by people, with an option they were shown, and that findings are
 * signed by those who may.
 */

export const asked: Check<"decision.asked"> = (event, { now, hasUnit, record, protocol }) => {
  const { decision, question, unit, options, nonce } = event;
  if (member(now().decisions, decision)?.status === "open") return `${decision} is asked twice`;
  if (!hasUnit(unit)) return `${decision} is about "${unit}", which is not there`;
  if (!nonce.startsWith(`${record.id}.`)) return `${decision} was not asked by this command`;
  if (protocol === undefined) return undefined;
  const known = member(protocol.questions, question);
  if (known === undefined) return `${decision} asks "${question}", which the table does not have`;
  const ids = new Set(["other", ...known.options.map((one) => one.id)]);
  const strange = options.find((one) => !ids.has(one.id));
  return strange && `${decision} offers "${strange.id}", which "${question}" does not`;
};

export const settled: Check<"decision.settled"> = (event, scene) => {
  const { record, protocol, now } = scene;
  const { by, status, option } = event;
  const decision = member(now().decisions, event.decision);
  if (decision === undefined) return `${event.decision} is settled, and was never asked`;
  if (decision.status !== "open") return `${event.decision} is settled twice`;
  if (by === "adopted")
    return record.command === "workflow.adopt" ? undefined : notBy(event, scene);
  if (by.startsWith("grant:")) return granted(event, scene, decision);
  if (by === "engine") return status === "void" ? undefined : notBy(event, scene);
  const answers = status === "void" ? "definition.accept" : "decision.answer";
  if (record.command !== answers || !isPerson(by, scene)) return notBy(event, scene);
  if (option === "")
    return status === "answered" ? `${decision.id} is answered with nothing` : undefined;
  if (!decision.options.some((one) => one.id === option))
    return `${decision.id} is answered with "${option}", which was not offered`;
  const unproven = withoutRelease(scene, decision.question);
  if (unproven !== undefined) return `${decision.id} is answered, and ${unproven}`;
  const stale = Object.entries(decision.bound).find(([key, value]) => !isUsed(scene, key, value));
  if (stale !== undefined) return `${decision.id} is answered, and nobody looked at ${stale[0]}`;
  const question = protocol && member(protocol.questions, decision.question);
  const wanted =
    question?.options.find((one) => one.id === option)?.people ?? question?.people ?? 1;
  const joined = countJoined(decision, option, now());
  return wanted > 1 && joined < wanted
    ? `${decision.id} needs ${wanted} people, and ${joined} have chosen "${option}"`
    : undefined;
};

/**
 * What is wrong if the agreed policy asks for more than a plain word at this gate, and the record has no proof of
 * it.
 */
function withoutRelease({ before, record, protocol }: Scene, gate: string): string | undefined {
  const changed = record.events.find((event) => event.type === "policy.agreed");
  const agreed = changed ?? before.agreed;
  if (agreed === null || protocol === undefined) return undefined;
  const { strength } = ruleOf([agreed.basis.policy], protocol.name, gate);
  const given = record.events.some(
    (event) =>
      event.type === "release.given" &&
      event.gate === gate &&
      STRENGTHS.indexOf(event.strength) >= STRENGTHS.indexOf(strength),
  );
  return strength === "word" || given ? undefined : `no release proves it as agreed (${strength})`;
}

/** Whether a fact that an answer is bound to was read again in this record, with the same value. */
export function isUsed({ record, recordedAs }: Scene, key: string, value: Json): boolean {
  const used = member(record.used, key);
  return used !== undefined && canonicalJson(used) === canonicalJson(recordedAs(value));
}

function granted(
  { by, option }: { readonly by: string; readonly option: string },
  { protocol, now }: Scene,
  { id, question: name }: Decision,
): string | undefined {
  const grant = by.slice("grant:".length);
  if (member(now().vars, grant) !== true)
    return `${id} is settled by "${grant}", which nobody gave`;
  const question = protocol && member(protocol.questions, name);
  if (question === undefined) return undefined;
  return question.grant?.includes(grant) === true && question.options[0]?.id === option
    ? undefined
    : `${id} is settled by "${grant}", which does not grant that`;
}

function isPerson(by: string, { record, actor }: Scene): boolean {
  return actor.kind === "person" && by === record.actor;
}

function notBy(
  event: { readonly decision: string; readonly by: string },
  { record }: Scene,
): string {
  return `${event.decision} is settled by "${event.by}" in a "${record.command}" of ${record.actor}`;
}

export const joined: Check<"decision.joined"> = (event, scene) => {
  const decision = member(scene.now().decisions, event.decision);
  if (decision?.status !== "open") return `${event.decision} is chosen from, and is not open`;
  const own = scene.record.command === "decision.answer" && isPerson(event.by, scene);
  return own ? undefined : notBy(event, scene);
};

/** Checks that a release agrees with its signed statement, and comes from the person who gave the command. */
export const given: Check<"release.given"> = (event, scene) => {
  const { nonce, gate, hold, choice, by, strength, proof, card } = event;
  if (Object.hasOwn(scene.before.given, nonce)) return `the release ${nonce} is given twice`;
  if (!isPerson(by, scene)) return `${by} releases "${gate}" in a command of ${scene.record.actor}`;
  if (strength === "word") return undefined;
  const said = readStatement(proof?.statement ?? "");
  const wanted = {
    nonce,
    gate,
    hold,
    choice,
    card,
    by: scene.actor.name,
    workflow: scene.now().id,
  };
  const foreign = Object.entries(wanted).find(([name, value]) => said?.[name] !== value);
  if (said === undefined || foreign !== undefined)
    return `"${gate}" is released by a statement that is not about ${foreign?.[0] ?? "anything"} "${foreign?.[1] ?? ""}"`;
  if (said.seq !== scene.record.seq - 1)
    return `"${gate}" is released in record ${scene.record.seq}, on record ${said.seq}`;
  const other = happened(event, scene);
  if (other !== undefined) return other;
  return strength === "signed" && (proof?.signature ?? "") === ""
    ? `"${gate}" is released as signed, and there is no signature`
    : undefined;
};

export const looked: Check<"option.looked"> = (event, { now, record }) => {
  if (member(now().decisions, event.decision)?.status !== "open")
    return `${event.decision} is looked at, and is not open`;
  return event.by === record.actor
    ? undefined
    : `${event.by} looks in a command of ${record.actor}`;
};

export const kept: Check<"answer.kept"> = (event, { now, actor, record }) => {
  if (member(now().decisions, event.decision)?.status !== "open")
    return `an answer to ${event.decision} is kept, which is not open`;
  return actor.kind === "person" && actor.name === event.name && record.command === "answer.keep"
    ? undefined
    : `an answer of ${event.name} is kept in a "${record.command}" of ${record.actor}`;
};

export const found: Check<"finding.recorded"> = (event, scene) => {
  const { hasUnit, record, actor, protocol, causes } = scene;
  const { unit, kind, by, value } = event;
  if (!hasUnit(unit)) return `${kind} is found on "${unit}", which is not there`;
  if (protocol === undefined) return undefined;
  const isWaiver = kind.startsWith("waiver:");
  if (record.command === "gate.waive" || isWaiver)
    return isWaiver &&
      withoutRelease(scene, "waive") === undefined &&
      record.command === "gate.waive" &&
      actor.kind === "person" &&
      by === record.actor
      ? undefined
      : `${kind} is not ${record.actor}'s to waive`;
  if (record.command === "finding.record") {
    const word = kind.split(/[^a-z]/i)[0] ?? "";
    const signers = member(protocol.signs ?? {}, word) ?? ["engine"];
    const own = actor.kind !== "person" || by === record.actor;
    return signers.includes(actor.kind) && own
      ? undefined
      : `${kind} is signed by ${record.actor} for ${by}; it is for ${signers.join(" or ")}`;
  }
  const follows = causes.consequences.some(
    (one) =>
      "finding" in one &&
      one.finding === kind &&
      (!("value" in one.value) || JSON.stringify(one.value.value) === JSON.stringify(value)),
  );
  return follows ? undefined : `nothing in the record leads to ${kind} ${JSON.stringify(value)}`;
};
