import type { JsonObject } from "../../../core/values/json.ts";
import { driftOf, renderOwned } from "../files/json-file.ts";
import type { Rendered, View } from "../../../ports/family.ts";

/** A file in which the owned members are set. A file that should not exist is removed. */
export function jsonView(path: string, owned: JsonObject | undefined): View {
  return {
    path,
    shared: false,
    render: (found): Rendered =>
      owned === undefined ? { kind: "absent" } : renderOwned(found, owned),
    drift: (found) => {
      if (owned !== undefined) return driftOf(found, owned).map((one) => `${path}: ${one}`);
      return found === null ? [] : [`${path}: it should not be there any more`];
    },
  };
}
