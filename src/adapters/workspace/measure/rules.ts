/** Which paths `.gitignore` files leave out. The files of the tree alone count: other rules could hide a file unseen. */
import ignore from "ignore";

/** One set of rules on the way down: what the directories so far say, innermost last. */
export interface Rules {
  readonly layers: readonly Layer[];
  /** A directory on the way is left out, and all below it with it. */
  readonly hidden: boolean;
}

interface Layer {
  readonly directory: string;
  readonly tests: ReturnType<typeof ignore>;
}

export const NO_RULES: Rules = { layers: [], hidden: false };

/** The rules below a directory that has a `.gitignore` of its own. */
export function withRules(rules: Rules, directory: string, text: string | undefined): Rules {
  if (text === undefined || rules.hidden) return rules;
  const tests = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
  return { ...rules, layers: [...rules.layers, { directory, tests }] };
}

/** The rules for one entry of a directory; its own are added when it is entered. */
export function ruleOn(rules: Rules, path: string, isDirectory: boolean): Rules {
  return rules.hidden || !isLeftOut(rules.layers, path, isDirectory)
    ? rules
    : { ...rules, hidden: true };
}

/** The innermost file that says anything about a path decides. */
function isLeftOut(layers: readonly Layer[], path: string, isDirectory: boolean): boolean {
  for (const { directory, tests } of layers.toReversed()) {
    const name = directory === "" ? path : path.slice(directory.length + 1);
    const { ignored, unignored } = tests.test(isDirectory ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}
