import { reaching } from "../../../engine/subscribe.ts";
import type { Reached, StoreSign } from "../../../engine/subscribe.ts";
import { printableJson, safe, style } from "../terminal/style.ts";
import type { Call } from "../verb.ts";

/**
 * For commands that keep following: prints a line when the store becomes unreachable, and one when it is back.
 */
export function reachingAloud({ context, terminal }: Call): Reached {
  return reaching(context.parts, (store) =>
    terminal.print(terminal.json ? printableJson({ type: "store", ...store }) : storeLine(store)),
  );
}

export function storeLine(store: StoreSign): string {
  if (store.state === "back")
    return style().good("✓ The store is back: what happened meanwhile follows.");
  const { message, fix } = store.problem;
  return style().warn(`! ${safe(message)}. Nothing new is seen until it is back. ${safe(fix)}`);
}
