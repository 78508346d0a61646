/**
 * The hook files as they are written. What is not protected costs a shell and nothing else: git runs the hook for every
 * reference it writes, with a line `<old> <new> <name>` each, and asks only in the state `prepared`.
 */

export const FENCE_HOOK = "reference-transaction";
/** Where pushes come in: asked before any of the references, so that the pusher reads one clear answer. */
export const SERVER_HOOK = "pre-receive";

/** The hook that was there before, beside ours. */
export const KEPT = ".before-holdpoint";

const MARK = "# holdpoint fence";

export interface HookText {
  readonly name: string;
  readonly refs: readonly string[];
  /** With what makes it take no functions and no options from the environment, where it knows that. */
  readonly shell: string;
  /** The program, absolute: nothing is looked for in a PATH that whoever moves the branch has set. */
  readonly node: string;
  readonly program: string;
  /** The store, where it is not the one in the git directory. */
  readonly store: string;
  /** The hook that is called first: a path, or beside this one where it is empty. */
  readonly before: string;
}

export function isOurs(text: string): boolean {
  return text.split("\n", 3).some((line) => line.startsWith(MARK));
}

/**
 * The first lines are read by the shell itself, which starts no further process; many at once are not, because a shell
 * reads byte by byte. References that are looked at closer: protected ones however they are spelt, and replacements of
 * objects.
 */
export function hookText({ name, refs, shell, node, program, store, before }: HookText): string {
  const wanted = [...refs.map((ref) => `*[' /']${spelt(ref)}"$nl"*`), `*' refs/replace/'*`];
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

/** A hook of another name that only passes the call on to where hooks were before. */
export function passOnText(name: string, before: string): string {
  return `#!/bin/sh
${MARK}: passes ${name} on to where hooks were before \`holdpoint fence install\`.
before=${quoted(before)}
[ -x "$before" ] || exit 0
exec "$before" "$@"
`;
}

/** Hooks of git's that may be there or not without changing what git does by that alone. */
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

/** These mean something by being there, so they are passed on only where there are any. */
export const PASSED_ON_IF_THERE: readonly string[] = [
  "push-to-checkout",
  "proc-receive",
  "fsmonitor-watchman",
];

/** As a pattern of the shell, in any capitals: where files have none, another spelling is the same branch. */
function spelt(ref: string): string {
  return ref.replaceAll(/[^0-9/_.+-]/gu, (letter) =>
    /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : quoted(letter),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
