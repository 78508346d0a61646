import type { Verb } from "../verb.ts";
import { adoptVerb } from "./adopt.ts";
import { answerVerb } from "./answer.ts";
import { approveVerb } from "./approve.ts";
import { auditVerb } from "./audit.ts";
import { checkVerb } from "./check.ts";
import { doctorVerb, installVerb, uninstallVerb } from "./install.ts";
import { fenceVerb } from "./fence.ts";
import { initVerb } from "./init.ts";
import { listVerb } from "./list.ts";
import { agentsVerb, graphVerb, orderVerb, showVerb, unitsVerb } from "./looks.ts";
import { nextVerb } from "./next.ts";
import { reconcileVerb } from "./reconcile.ts";
import { holdVerb, keysVerb, policyVerb } from "./release.ts";
import { reportVerb } from "./report.ts";
import { statusVerb } from "./status.ts";
import { advanceVerb, askVerb, lockVerb, startVerb } from "./taken.ts";
import { verifyVerb } from "./verify.ts";

/**
 * Every verb. They are loaded with the program, because opening more files would take longer than reading them. A
 * workflow's family is large, and loaded only when needed.
 */
export const VERBS: Readonly<Record<string, Verb>> = {
  init: initVerb,
  start: startVerb,
  list: listVerb,
  status: statusVerb,
  next: nextVerb,
  order: orderVerb,
  advance: advanceVerb,
  report: reportVerb,
  ask: askVerb,
  hold: holdVerb,
  answer: answerVerb,
  approve: approveVerb,
  verify: verifyVerb,
  reconcile: reconcileVerb,
  adopt: adoptVerb,
  lock: lockVerb,
  agents: agentsVerb,
  units: unitsVerb,
  audit: auditVerb,
  policy: policyVerb,
  keys: keysVerb,
  fence: fenceVerb,
  show: showVerb,
  graph: graphVerb,
  check: checkVerb,
  install: installVerb,
  uninstall: uninstallVerb,
  doctor: doctorVerb,
};
