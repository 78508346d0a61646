/**
 * Path patterns: `*` and `?` stay inside one folder, `**` crosses folders (none included). Matched by
 * hand, segment by segment, so that no pattern from a configuration can run away.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split("/"), path.split("/"));
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // reach[j]: the pattern so far matches the first j segments.
  let reach = path.map(() => false);
  reach.unshift(true);
  for (const part of pattern) {
    if (part === "**") {
      let seen = false;
      reach = reach.map((one) => (seen ||= one));
      continue;
    }
    reach = reach.map((_, index) => {
      const segment = path[index - 1];
      return segment !== undefined && reach[index - 1] === true && matchSegment(part, segment);
    });
  }
  return reach.at(-1) === true;
}

/** The usual two-pointer match: after a dead end go back to the last star, one character further. */
function matchSegment(pattern: string, text: string): boolean {
  let [at, in_, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    const char = pattern[in_];
    if (char === "*") {
      [star, mark] = [in_, at];
      in_ += 1;
    } else if (char === "?" || char === text[at]) {
      in_ += 1;
      at += 1;
    } else if (star >= 0) {
      mark += 1;
      [in_, at] = [star + 1, mark];
    } else return false;
  }
  while (pattern[in_] === "*") in_ += 1;
  return in_ === pattern.length;
}

/** How much a pattern pins down: its characters that are neither wildcards nor separators. */
export function specificity(pattern: string): number {
  return pattern.replaceAll(/[*?/]/g, "").length;
}
