/**
 * Which paths `.gitignore` files exclude. Only files in the tree count: rules from elsewhere could hide a file
 * unnoticed.
 */
import ignore from "ignore";

/** The rules collected on the way down, innermost last. */
export interface Rules {
  readonly layers: readonly Layer[];
  /** A directory on the way is ignored, and everything below it too. */
  readonly hidden: boolean;
}

interface Layer {
  readonly directory: string;
  readonly tests: ReturnType<typeof ignore>;
}

export const NO_RULES: Rules = { layers: [], hidden: false };

/** Adds the rules of a directory that has its own `.gitignore`. */
export function withRules(rules: Rules, directory: string, text: string | undefined): Rules {
  if (text === undefined || rules.hidden) return rules;
  const tests = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
  return { ...rules, layers: [...rules.layers, { directory, tests }] };
}

/** The rules for one entry of a directory. Its own rules are added when it is entered. */
export function ruleOn(rules: Rules, path: string, isDirectory: boolean): Rules {
  return rules.hidden || !isLeftOut(rules.layers, path, isDirectory)
    ? rules
    : { ...rules, hidden: true };
}

/** The innermost file that matches a path decides. */
function isLeftOut(layers: readonly Layer[], path: string, isDirectory: boolean): boolean {
  for (const { directory, tests } of layers.toReversed()) {
    const name = directory === "" ? path : path.slice(directory.length + 1);
    const { ignored, unignored } = tests.test(isDirectory ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}
