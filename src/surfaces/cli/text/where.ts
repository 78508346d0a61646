import type { Standing } from "../../../operations/parts/answers.ts";
import { style } from "../terminal/style.ts";

/** Where a workflow stands, in one line. The state's name is added if the headline does not contain it. */
export function whereLine({
  workflow,
  headline,
  state,
}: Pick<Standing, "workflow" | "headline" | "state">): string {
  const { bold, dim } = style();
  const same = headline.toLowerCase() === state.toLowerCase();
  return [bold(workflow), headline, ...(same ? [] : [dim(state)])].join("  ");
}
