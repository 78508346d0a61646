/** Whose OK a task needs before it counts as completed, kept from the replies that were given. */
import { fieldsOf, readJson, said, type Objection, unless } from "../opinion.ts";
import type { SessionFiles } from "./files.ts";

/** Work that is out: who has it, and which task it is about. */
export interface Out {
  readonly role: string;
  readonly task: string;
}

/** The checkers that said OK since the task was last worked on. */
export type Verdicts = Readonly<Record<string, readonly string[]>>;

const WORKERS = ["Coder", "Integrator"];
const NEEDED = ["Reviewer", "QA"];

/** A reply of a worker makes what was said of its task old; one of a checker adds its word. */
export function heard(verdicts: Verdicts, out: Out, reply: string): Verdicts {
  const ok = fieldsOf(readJson(reply))["status"] === "OK";
  const passed = verdicts[out.task] ?? [];
  if (WORKERS.includes(out.role)) return { ...verdicts, [out.task]: [] };
  return ok ? { ...verdicts, [out.task]: [...passed, out.role] } : verdicts;
}

/** Completed is what was implemented and then passed by each of them, for the task or for all of them at once. */
export function judgeCompleted(
  before: SessionFiles,
  after: SessionFiles,
  verdicts: Verdicts,
): readonly Objection[] {
  const whole = verdicts["meta"] ?? [];
  return (after.tasks ?? []).flatMap((task) => {
    const id = said(task["id"]);
    const old = before.tasks?.find((one) => one["id"] === id)?.["status"];
    if (task["status"] !== "completed" || old === "completed") return [];
    const passed = [...(verdicts[id] ?? []), ...whole];
    const missing = NEEDED.filter((role) => !passed.includes(role));
    return unless(missing.length === 0, "history:completed", `${id} without ${missing.join(", ")}`);
  });
}
