import { linesOf } from "../../../files/text.ts";

/**
 * Lines by which agents decide, anywhere in their answer:
 *
 *   FINAL DECISION: APPROVED - why          also with ✅ or ❌ before the word
 *   FINAL DECISION: REJECTED - why
 *   SCOPE_DECISION: DEFER                   or RESOLVE_NOW, with the lists
 *   BLOCKING ISSUES: …   DEFERRABLE ISSUES: …   PERSISTENCE JUSTIFICATION: …
 *
 * Exactly one decision counts. None, two, or another word is malformed, and malformed is not approved.
 */
export type ReviewDecision =
  | { readonly kind: "APPROVED" | "REJECTED"; readonly reason: string; readonly line: number }
  | { readonly kind: "malformed"; readonly why: string };

export function readReviewDecision(text: string): ReviewDecision {
  const found = labelled(text, "FINAL DECISION");
  const [first] = found;
  if (first === undefined) return { kind: "malformed", why: "there is no FINAL DECISION line" };
  if (found.length > 1)
    return { kind: "malformed", why: `there are ${found.length} FINAL DECISION lines` };
  const match = /^(?:[✅❌✔✖✓✗]\uFE0F?\s*)?(APPROVED|REJECTED)(?:\s*[-–—:]\s*(.*))?$/u.exec(
    first.rest,
  );
  if (match === null)
    return { kind: "malformed", why: `"${first.rest}" is neither APPROVED nor REJECTED` };
  const kind = match[1] === "APPROVED" ? "APPROVED" : "REJECTED";
  const says = /^[❌✖✗]/u.test(first.rest)
    ? "REJECTED"
    : /^[✅✔✓]/u.test(first.rest)
      ? "APPROVED"
      : kind;
  if (says !== kind) return { kind: "malformed", why: `"${first.rest}" contradicts itself` };
  return { kind, reason: (match[2] ?? "").trim(), line: first.line };
}

export type ScopeDecision =
  | {
      readonly kind: "DEFER" | "RESOLVE_NOW";
      readonly blocking: readonly string[];
      readonly deferrable: readonly string[];
      readonly justification: string;
    }
  | { readonly kind: "malformed"; readonly why: string };

export function readScopeDecision(text: string): ScopeDecision {
  const found = labelled(text, "SCOPE_DECISION");
  const [first] = found;
  if (first === undefined || found.length > 1)
    return { kind: "malformed", why: `there are ${found.length} SCOPE_DECISION lines, not one` };
  const word = first.rest.trim();
  if (word !== "DEFER" && word !== "RESOLVE_NOW")
    return { kind: "malformed", why: `"${word}" is neither DEFER nor RESOLVE_NOW` };
  return {
    kind: word,
    blocking: issues(text, "BLOCKING ISSUES"),
    deferrable: issues(text, "DEFERRABLE ISSUES"),
    justification: labelled(text, "PERSISTENCE JUSTIFICATION")[0]?.rest ?? "",
  };
}

interface Labelled {
  readonly line: number;
  readonly rest: string;
}

/** Lines that begin with a label, whatever Markdown surrounds it. */
function labelled(text: string, label: string): readonly Labelled[] {
  return linesOf(text).flatMap(({ start, end }, index) => {
    const line = text
      .slice(start, end)
      .replaceAll(/\*\*|__|`/g, "")
      .replace(/^[\s>#-]+/, "");
    if (!line.startsWith(`${label}:`)) return [];
    return [{ line: index + 1, rest: line.slice(label.length + 1).trim() }];
  });
}

/** The issues after a label: on its own line, separated by semicolons, and as list items below it. */
function issues(text: string, label: string): readonly string[] {
  const [found] = labelled(text, label);
  if (found === undefined) return [];
  const own = found.rest.split(";").map((one) => one.trim());
  const below: string[] = [];
  for (const { start, end } of linesOf(text).slice(found.line)) {
    const item = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$/.exec(text.slice(start, end));
    if (item === null) break;
    below.push(item[1] ?? "");
  }
  return [...own, ...below].filter((one) => one !== "" && !/^none\.?$/i.test(one));
}
