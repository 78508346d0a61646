/**
 * The text of the hook files. For unprotected references the hook costs one shell and nothing more: git runs it
 * for every reference change, with a line `<old> <new> <name>` for each, and only the state `prepared` can be
 * refused.
 */

export const FENCE_HOOK = "reference-transaction";
/** The hook for pushes. It runs before any reference is touched, so that the pusher gets one clear answer. */
export const SERVER_HOOK = "pre-receive";

/** Suffix of a hook that was there before ours. */
export const KEPT = ".before-holdpoint";

const MARK = "# holdpoint fence";

export interface HookText {
  readonly name: string;
  readonly refs: readonly string[];
  /** Prefixes of references that always need a closer look. */
  readonly below: readonly string[];
  /** With options to ignore functions and settings from the environment, if the shell has them. */
  readonly shell: string;
  /** Absolute, because PATH is controlled by whoever moves the branch. */
  readonly node: string;
  readonly program: string;
  /** The store, if it is not in the git directory. */
  readonly store: string;
  /** The earlier hook, which is called first: a path, or empty for one kept beside this file. */
  readonly before: string;
}

export function isOurs(text: string): boolean {
  return text.split("\n", 3).some((line) => line.startsWith(MARK));
}

/**
 * The first lines are read in the shell itself, without another process. Longer input is passed on, because a
 * shell reads byte by byte. Two kinds of references need a closer look: protected ones in any spelling, and
 * object replacements.
 */
export function hookText({
  name,
  refs,
  below,
  shell,
  node,
  program,
  store,
  before,
}: HookText): string {
  const wanted = [
    ...refs.map((ref) => `*[' /']${spelt(ref)}"$nl"*`),
    ...below.map((place) => `*' ${place}'*`),
  ];
  const kept = before === "" ? `"$here/${name}${KEPT}"` : quoted(before);
  return `#!${shell}
${MARK}: ${name}. Put here by \`holdpoint fence install\`, taken away by \`holdpoint fence uninstall\`.
# A protected branch moves only to a commit that was released. Where this cannot be found out, it does not move.
here=\${0%/*}
before=${kept}
node=${quoted(node)}
program=${quoted(program)}
nl='
'
${name === FENCE_HOOK ? `[ "$1" = prepared ] || [ -x "$before" ] || exit 0\n` : ""}lines=
count=0
while [ $count -lt 16 ] && IFS= read -r line; do
  lines=$lines$line$nl
  count=$((count + 1))
done
if [ $count -eq 16 ]; then
  rest=$(PATH=/usr/bin:/bin:$PATH; cat; echo .)
  lines=$lines\${rest%.}
fi
if [ -x "$before" ]; then
  printf '%s' "$lines" | "$before" "$@" || exit $?
fi
${name === FENCE_HOOK ? `[ "$1" = prepared ] || exit 0\n` : ""}case $lines in
  ${wanted.join(" | ")}) ;;
  *) exit 0 ;;
esac
for part in "$node" "$program"; do
  if [ ! -f "$part" ]; then
    echo "holdpoint: the fence cannot judge this, so nothing moves: $part is gone." >&2
    echo "holdpoint: install Holdpoint again, then run: holdpoint fence install" >&2
    exit 1
  fi
done
unset NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE
printf '%s' "$lines" | "$node" "$program" fence-hook ${quoted(name)} "$here" ${quoted(store)} && exit 0
exit 1
`;
}

/** A hook with another name, which only calls the earlier hook of that name. */
export function passOnText(name: string, before: string): string {
  return `#!/bin/sh
${MARK}: passes ${name} on to where hooks were before \`holdpoint fence install\`.
before=${quoted(before)}
[ -x "$before" ] || exit 0
exec "$before" "$@"
`;
}

/** Git hooks whose mere existence does not change what git does. */
export const PASSED_ON: readonly string[] = [
  "applypatch-msg",
  "pre-applypatch",
  "post-applypatch",
  "pre-commit",
  "pre-merge-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "pre-rebase",
  "post-checkout",
  "post-merge",
  "pre-push",
  "pre-receive",
  "update",
  "post-receive",
  "post-update",
  "pre-auto-gc",
  "post-rewrite",
  "sendemail-validate",
  "post-index-change",
  "p4-changelist",
  "p4-prepare-changelist",
  "p4-post-changelist",
  "p4-pre-submit",
];

/** Hooks whose existence changes what git does, so they are only passed on if one exists. */
export const PASSED_ON_IF_THERE: readonly string[] = [
  "push-to-checkout",
  "proc-receive",
  "fsmonitor-watchman",
];

/**
 * The reference as a shell pattern that ignores case: on some file systems, another spelling is the same branch.
 */
function spelt(ref: string): string {
  return ref.replaceAll(/[^0-9/_.+-]/gu, (letter) =>
    /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : quoted(letter),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
