/** All that the contract says of one session's files. */
import type { Objection } from "../opinion.ts";
import { judgeArtifacts } from "./artifacts.ts";
import { judgeDecisions } from "./decisions.ts";
import type { SessionFiles } from "./files.ts";
import { judgeStatus } from "./status.ts";

export function judgeSession(files: SessionFiles): readonly Objection[] {
  return [...judgeStatus(files), ...judgeDecisions(files), ...judgeArtifacts(files)];
}
