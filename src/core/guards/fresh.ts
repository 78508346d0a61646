import type { Json } from "../values/json.ts";
import type { Bound } from "../state/state.ts";
import { isUnknown } from "../values/unknown.ts";

/** Whether the facts that something was vouched for are still the same. */
export function isFresh(read: (key: string) => Json | undefined, bound: Bound): boolean {
  return Object.entries(bound)
    .map(([key, value]) => {
      const now = read(key) ?? null;
      return !isUnknown(now) && JSON.stringify(now) === JSON.stringify(value);
    })
    .every(Boolean);
}
