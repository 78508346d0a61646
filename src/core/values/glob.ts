/**
 * Path patterns: `*` and `?` stay inside one folder, `**` spans any number of folders, including none. Matched by
 * hand, because a regular expression made from a configured pattern could take exponential time.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchSegments(pattern.split("/"), path.split("/"));
}

function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // reach[j]: the part of the pattern read so far matches the first j segments.
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

/** Two-pointer matching: after a mismatch, go back to the last star and let it match one more character. */
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

/** How specific a pattern is: the number of characters that are neither wildcards nor separators. */
export function specificity(pattern: string): number {
  return pattern.replaceAll(/[*?/]/g, "").length;
}
