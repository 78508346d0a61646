import { showJson } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";

/** An improvement takes the next patch, minor or major version, without skipping any. */
export function nextVersion(scope: Scope): string | undefined {
  const wanted = scope.input["version"];
  if (typeof wanted !== "string" || !VERSION.test(wanted)) return "no version like 1.2.3 is given";
  const now = showJson(scope.workflow.vars["version"]);
  if (!VERSION.test(now)) return undefined;
  const [major = 0, minor = 0, patch = 0] = now.split(".").map(Number);
  const steps = [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
  return steps.includes(wanted)
    ? undefined
    : `${wanted} does not follow ${now}; next is ${steps.join(", ")}`;
}

const VERSION = /^\d+\.\d+\.\d+$/;
