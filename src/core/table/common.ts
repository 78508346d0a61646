/** Facts that every family may ask for, by the word before the colon; the engine looks them up. */
export const COMMON_LOOKS: readonly string[] = [
  "digest",
  "git",
  "check",
  "command",
  "drift",
  "tree",
  "changed",
  "files",
  "change",
  "unordered",
  "tip",
  "card",
  "authors",
  "basis",
  "heads",
];

/** Effects that every family may want; the engine performs them. */
export const COMMON_EFFECTS: readonly string[] = ["commit", "restore"];
