import type { Held } from "../../../operations/parts/answers.ts";
import { foldedText } from "../terminal/fold.ts";
import { safe, style } from "../terminal/style.ts";
import type { Style } from "../terminal/style.ts";

/** Shows a decision as a numbered menu: what happened, the options, and what to type. */
export function formatMenu(
  decision: Held,
  workflow: string,
  { bold, dim }: Style = style(),
): string {
  const how = `holdpoint next ${workflow} --full`;
  const why = decision.about["message"];
  const failed = typeof why === "string" && why !== "";
  const options = decision.options.map((option, index) => {
    const recommended = option.recommended === true ? " (recommended)" : "";
    const discovery = option.discovery === undefined ? "" : dim(` ← ${safe(option.discovery)}`);
    const name = option.word === true ? `${option.id}:` : `${index + 1}.`;
    return `${safe(name)} ${safe(option.label)}${recommended}${discovery}`;
  });
  return [
    ...foldedText(`${failed ? "✗" : markOf(decision.prompt)} ${safe(decision.prompt)}`, how)
      .split("\n")
      .map(bold),
    ...(failed ? [foldedText(safe(why), how)] : []),
    "",
    ...(failed ? ["What would you like to do?"] : []),
    ...(failed || markOf(decision.prompt) === "?" ? [] : ["What's next?"]),
    ...options,
    "",
    decision.options.some((option) => option.word === true)
      ? "Answer: _"
      : `Choose (1-${decision.options.length}): _`,
  ].join("\n");
}

/** A tick for something done; a question has none. */
function markOf(prompt: string): string {
  return prompt.includes("?") ? "?" : "✓";
}
