import type { Standing } from "../../../operations/parts/answers.ts";
import { style } from "../terminal/style.ts";

/** Where a workflow stands, in a line. The name of its state follows where the words do not say it already. */
export function whereLine({
  workflow,
  headline,
  state,
}: Pick<Standing, "workflow" | "headline" | "state">): string {
  const { bold, dim } = style();
  const same = headline.toLowerCase() === state.toLowerCase();
  return [bold(workflow), headline, ...(same ? [] : [dim(state)])].join("  ");
}
