/** Facts available in every family, by the word before the colon. The engine looks them up. */
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

/** Effects available in every family. The engine carries them out. */
export const COMMON_EFFECTS: readonly string[] = ["commit", "restore"];
