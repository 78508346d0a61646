import { cite } from "../../core/table/cite.ts";
import {
  readMeasured,
  tellMeasured,
  TIP,
  touchedIn,
  unorderedKey,
} from "../../core/values/measured.ts";
import { remedy } from "../../core/table/remedy.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family, VerifyFinding, World } from "../../ports/family.ts";
import { lookUp } from "../look/look.ts";

/**
 * What has changed since the last step, while no order is out. That is not an error, because people go on
 * working, but the reader must know that the current files are not the ones that were checked and released.
 */
export async function changedSince(
  world: World,
  family: Family,
  state: Workflow,
): Promise<readonly VerifyFinding[]> {
  const left = state.left[ROOT];
  if (left === undefined) return [];
  const key = unorderedKey(ROOT);
  const { [key]: changed = null } = await lookUp(family, world, state, [key]);
  if (changed === null) return [];
  const measured = readMeasured(changed);
  const count = typeof measured === "object" ? touchedIn(measured).length : 0;
  const files = count === 1 ? "1 file has changed" : `${count} files have changed`;
  const tip = left.baseline[TIP];
  const moment = typeof tip === "string" ? tip.slice(0, OID_CHARS) : left.at;
  return [
    cite(family.protocol, {
      code: "changed-since",
      file: ".",
      line: 0,
      message: `since ${moment}, when its last step was done, ${files} that nobody was ordered to change: ${tellMeasured(changed)}`,
      fix: remedy(
        "audit",
        { workflow: state.id },
        "What was checked and released is what was there then; see what that was",
      ),
      rule: "core",
    }),
  ];
}

const OID_CHARS = 12;
