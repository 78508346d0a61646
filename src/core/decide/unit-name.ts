import { isName } from "../table/names.ts";
import { remedy } from "../table/remedy.ts";
import { refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";

/**
 * Whether a unit may have this name. Names also come from reports and facts, and a name in use would start that
 * unit, or the workflow itself, over.
 */
export function isFree(
  draft: Draft,
  { unit, kind, rule }: { readonly unit: string; readonly kind: string; readonly rule: string },
): boolean {
  const shown = JSON.stringify(unit.slice(0, 80));
  if (Object.hasOwn(draft.state.units, unit)) {
    const message = `${draft.state.id} has ${shown} already`;
    const fix = remedy("status", { workflow: draft.state.id }, "See what there is");
    refuse(draft, { code: "unit-taken", message, fix, rule });
  } else if (!isName(unit) || !staysInside(unit)) {
    const fix = "Use at most 64 letters, digits, dots, hyphens and underscores.";
    refuse(draft, { code: "unit-name", message: `${shown} cannot be a ${kind}`, fix, rule });
  } else return true;
  return false;
}

/** Rows fill unit names into paths, such as `{unit}.md`, and no name may lead one out of the tree. */
function staysInside(name: string): boolean {
  return name.split("/").every((part) => part !== "" && !/^\.+$/.test(part));
}
