/** What is called done is proved: every command of its checks is run here once more, and nobody's word is asked. */
import { spawnSync } from "node:child_process";
import {
  type Fields,
  fieldsOf,
  isText,
  listOf,
  type Objection,
  readJson,
  said,
} from "../opinion.ts";
import { objection } from "../opinion.ts";
import { type SessionFiles, stateOf } from "./files.ts";

export function judgeProved(
  top: string,
  before: SessionFiles,
  after: SessionFiles,
): readonly Objection[] {
  const tasks = (after.tasks ?? []).filter((task) => isNewlyDone(before, task));
  const isDone = stateOf(after) === "DONE" && stateOf(before) !== "DONE";
  const criteria = isDone
    ? listOf(fieldsOf(readJson(after.texts["acceptance.json"]))["acceptance_criteria"])
    : [];
  return [
    ...tasks.flatMap((task) => judgeChecks(top, task, "acceptance_checks")),
    ...criteria.flatMap((one) => judgeChecks(top, fieldsOf(one), "verify")),
  ];
}

function isNewlyDone(before: SessionFiles, task: Fields): boolean {
  const old = before.tasks?.find((one) => one["id"] === task["id"])?.["status"];
  return task["status"] === "completed" && old !== "completed";
}

/** A bare text among the criteria is a command; a manual check is a person's. */
function judgeChecks(top: string, of: Fields, key: string): readonly Objection[] {
  const checks = listOf(of[key]).filter((one) => isText(one));
  const name = said(of["id"]);
  if (checks.length === 0) return [objection("proved:nothing", `${name} has no check at all`)];
  return checks
    .filter((check) => !check.startsWith("manual:"))
    .flatMap((check) => {
      const command = check.replace(/^cmd:/, "").trim();
      if (command === "") return [objection("proved:nothing", `${name} has an empty check`)];
      const { status } = spawnSync("sh", ["-c", command], { cwd: top, stdio: "ignore" });
      return status === 0 ? [] : [objection("proved:red", `${name}: ${command} fails`)];
    });
}
