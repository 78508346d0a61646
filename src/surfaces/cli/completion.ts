/** Completion scripts for three shells (verbs, options, workflow names), generated from the verbs. */
import { usage } from "../../operations/parts/answers.ts";
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import { COMMON, optionsOf } from "./args.ts";
import type { Reply, Verb } from "./verb.ts";
import { VERBS } from "./verbs/index.ts";

export const SHELLS: readonly string[] = ["bash", "zsh", "fish"];

/** Commands besides the verbs. */
type Others = Readonly<Record<string, { readonly purpose: string }>>;

export function completion(
  [shell, ...rest]: readonly string[],
  others: Others,
): Reply | FailedAnswer {
  const script = rest.length === 0 && shell !== undefined ? scriptFor(shell, others) : undefined;
  if (script === undefined)
    return usage(
      "completion takes the name of a shell: bash, zsh or fish.",
      'Example: eval "$(holdpoint completion bash)" in ~/.bashrc.',
    );
  return { exit: 0, json: { ok: true, shell: shell ?? "", script }, text: script, whole: true };
}

function scriptFor(shell: string, others: Others): string | undefined {
  if (shell === "bash") return bash(others);
  if (shell === "zsh") return `autoload -U +X bashcompinit && bashcompinit\n${bash(others)}`;
  return shell === "fish" ? fish(others) : undefined;
}

function optionNames(verb: Verb): readonly string[] {
  const hidden = ["version"];
  const names = [...Object.keys(optionsOf(verb)), ...Object.keys(COMMON)];
  return [...new Set(names)].filter((one) => !hidden.includes(one)).map((one) => `--${one}`);
}

/** Workflow names are asked of the program, but only when the user presses tab. */
const NAMES = 'holdpoint list --json 2>/dev/null | grep -o \'"id":"[^"]*"\' | cut -d\'"\' -f4';

function bash(others: Others): string {
  const cases = Object.entries(VERBS).map(
    ([name, verb]) => `    ${name}) options="${optionNames(verb).join(" ")}" ;;`,
  );
  return [
    "_holdpoint() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" options="" name',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${[...Object.keys(VERBS), ...Object.keys(others)].join(" ")} --help --version" -- "$word")); return`,
    "  fi",
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    completion) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$word")); return ;;`,
    "  esac",
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;',
    "    *)",
    // `compgen -W` would expand the contents of a name, and so could execute it.
    "      COMPREPLY=()",
    '      while IFS= read -r name; do case "$name" in "$word"*) COMPREPLY+=("$name") ;; esac',
    `      done < <(${NAMES}) ;;`,
    "  esac",
    "}",
    "complete -o bashdefault -o default -F _holdpoint holdpoint",
  ].join("\n");
}

const FIRST = "__fish_use_subcommand";

function offered(name: string, purpose: string): string {
  const about = purpose.replaceAll("'", String.raw`\'`);
  return `complete -c holdpoint -n ${FIRST} -a ${name} -d '${about}'`;
}

function fish(others: Others): string {
  return [
    "complete -c holdpoint -f",
    ...Object.values(VERBS).map(({ operation: { name, purpose } }) => offered(name, purpose)),
    ...Object.entries(others).map(([name, { purpose }]) => offered(name, purpose)),
    ...Object.entries(VERBS).flatMap(([name, verb]) =>
      optionNames(verb).map(
        (option) =>
          `complete -c holdpoint -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ),
    `complete -c holdpoint -n 'not ${FIRST}' -a '(${NAMES})'`,
    `complete -c holdpoint -n '__fish_seen_subcommand_from completion' -a '${SHELLS.join(" ")}'`,
  ].join("\n");
}
