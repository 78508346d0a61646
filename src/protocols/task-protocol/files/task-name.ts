/**
 * Names that become folders, branches and lines of the task list.
 *
 *   add-parser, fix-2, v1-api      lower-case words and digits, joined by single hyphens
 *   main                           reserved: the main worktree's own lock lies in that folder
 */
export const RESERVED_NAMES: readonly string[] = ["main"];
export const NAME_CHARS_MAX = 100;

/** What is wrong with a task's name, in a sentence. */
export function checkTaskName(name: string): string | undefined {
  if (RESERVED_NAMES.includes(name)) return `"${name}" is reserved for the main worktree`;
  if (name.length > NAME_CHARS_MAX)
    return `the name has ${name.length} characters, at most ${NAME_CHARS_MAX} fit`;
  return isKebab(name) ? undefined : `"${name}" is not kebab-case`;
}

function isKebab(name: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}
