/** What may not be done yet: the contract's hard blockers, by the steps that they stand before. */
import { judgeArtifacts } from "./artifacts.ts";
import type { SessionFiles } from "./files.ts";

/** Work of each step and the objections that forbid it: whose files it consumes, and which gate is before it. */
const BEFORE: Readonly<Record<string, RegExp>> = {
  architect: /spec\.md|acceptance/,
  "to-design": /spec\.md|acceptance/,
  "to-approval": /spec\.md|acceptance|architecture\.md/,
  plan: /spec\.md|acceptance|architecture\.md|gate:design/,
  "to-strategy": /tasks|gate:design/,
  code: /spec\.md|architecture\.md|artifact:task|tasks\.yaml|gate:design/,
  review: /spec\.md|architecture\.md|artifact:task|tasks\.yaml|gate:/,
  test: /spec\.md|acceptance|artifact:task|tasks\.yaml|gate:/,
  secure: /artifact:task|tasks\.yaml|gate:/,
  "to-integrate": /tasks|gate:/,
  finish: /./,
};

/** Steps that the files forbid, as they are. */
export function forbidden(files: SessionFiles): readonly string[] {
  const objections = judgeArtifacts(files).map(({ check, why }) => `${check} ${why}`);
  return Object.entries(BEFORE)
    .filter(([, pattern]) => objections.some((one) => pattern.test(one)))
    .map(([step]) => step);
}
