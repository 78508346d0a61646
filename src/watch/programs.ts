/** What programs do with their arguments, as data: which only read, which write, which run others. */

/** Programs that change nothing they are given. */
export const READERS: ReadonlySet<string> = new Set(
  `: [ [[ ] ag awk base32 base64 basename bat bc break cat cksum cmp column comm continue cut date df diff dirname
  code codespell cspell do done du echo egrep elif else esac exa exit expand export expr false fgrep fi file fmt fold gawk getconf git-lfs grep
  glow groups head help hexdump hostname iconv id if in jobs jq join json.tool kill less let local look ls lsof man markdownlint markdownlint-cli2 mawk md5sum mdcat mktemp
  more nl nproc od open pandoc paste pgrep popd pr prettier printenv printf ps pwd read readlink realpath return rev rg sed seq set sha1sum
  sha256sum sha512sum shellcheck shift sleep sort stat strings sum tac tail test then time top tr tree true tty type typeset
  ulimit umask uname unexpand uniq unset until uptime vale wait wc whereis which while who whoami xdg-open xxd yamllint yes yq zcat zgrep { } ! declare
  readonly case`.split(/\s+/),
);

export type Writes =
  /** Every argument; with `tree`, everything below it as well. */
  | "all"
  | "tree"
  /** The last argument, or the one after `-t`. */
  | "last"
  /** All but the first argument, which says how. */
  | "rest"
  /** The second argument. With only one, they print. */
  | "second";

export const WRITERS: Readonly<Record<string, Writes>> = {
  rm: "tree",
  rmdir: "tree",
  mv: "tree",
  unlink: "all",
  shred: "all",
  truncate: "all",
  touch: "all",
  mkdir: "all",
  mkfifo: "all",
  mknod: "all",
  tee: "all",
  sponge: "all",
  cp: "last",
  install: "last",
  ln: "last",
  link: "last",
  rsync: "last",
  scp: "last",
  mount: "tree",
  chmod: "rest",
  chown: "rest",
  chgrp: "rest",
  chattr: "rest",
  setfacl: "rest",
  rimraf: "tree",
  "del-cli": "tree",
  trash: "tree",
  "trash-put": "tree",
  uniq: "second",
  xxd: "second",
  "json.tool": "second",
};

/** Programs that overwrite their arguments if an option says so. */
export const FIXERS: Readonly<Record<string, RegExp>> = {
  prettier: /^(?:-w|--write)$/,
  markdownlint: /^(?:-f|--fix)$/,
  "markdownlint-cli2": /^--fix$/,
  codespell: /^(?:-w|--write-changes)$/,
  // No option makes it write; it writes its second argument.
  "json.tool": /^(?!)/,
};

/** Words after which an unknown program starts another one. */
export const STARTS: RegExp = /^(?:run|exec|x|dlx|--)$/;

/** Variables whose values are commands that other programs run. */
export const RUN_VARIABLES: RegExp =
  /^(?:GIT_(?:PAGER|EDITOR|EXTERNAL_DIFF|SSH_COMMAND|SSH|ASKPASS|SEQUENCE_EDITOR|PROXY_COMMAND)|PAGER|EDITOR|VISUAL|LESSOPEN|LESSCLOSE|PROMPT_COMMAND)$/;

/** Options of writers that take a word which is not a path. */
export const VALUED: Readonly<Record<string, RegExp>> = {
  xxd: /^-[lcsgoR]$/,
  uniq: /^-[fsw]$/,
  truncate: /^(?:-s|--size|-r|--reference)$/,
  touch: /^(?:-d|-t|-r|--date|--reference)$/,
  mkdir: /^(?:-m|--mode)$/,
  install: /^(?:-m|-o|-g|--mode|--owner|--group)$/,
  shred: /^(?:-n|-s)$/,
};

/** Options that name an output file. */
export const OUTPUTS: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z#]*o|--output|--output-dir|-D|--dump-header|-c|--cookie-jar)$/,
  wget: /^(?:-[a-zA-Z]*O|--output-document|-o|-P|--directory-prefix)$/,
  sort: /^(?:-o|--output)$/,
  gcc: /^-o$/,
  iconv: /^(?:-o|--output)$/,
  time: /^(?:-o|--output)$/,
  pandoc: /^(?:-o|--output)$/,
  tsc: /^--out(?:File|Dir)$/,
};

/** Programs that run the program after them, with their options that take a word. */
/** Options whose values are commands. */
export const RUN_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-I|--to-command|--checkpoint-action|--use-compress-program|--rsh-command)$/,
  rsync: /^(?:-e|--rsh)$/,
  sort: /^--compress-program$/,
  rg: /^--pre$/,
  man: /^(?:-P|--pager)$/,
  bat: /^--pager$/,
};

export const RUNNERS: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugphCDRTU]$/,
  doas: /^-[uC]$/,
  env: /^(?:-[uCS]|--unset|--chdir)$/,
  nohup: /^$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  timeout: /^(?:-[sk]|--signal|--kill-after)$/,
  stdbuf: /^-[ioe]$/,
  setsid: /^$/,
  time: /^-[of]$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  npx: /^(?:-p|--package)$/,
  bunx: /^$/,
  chronic: /^$/,
  unbuffer: /^$/,
  xargs: /^-[aEdILnPs]$/,
  parallel: /^-[jNnP]$/,
  watch: /^-n$/,
  flock: /^-[wE]$/,
  busybox: /^$/,
};

/** Words of the shell's grammar that are followed by a command. */
export const RESERVED: ReadonlySet<string> = new Set(
  "then do else elif if while until ! { time coproc".split(" "),
);

/** Runners that take a word of their own before the program. */
export const RUNNER_WORDS: Readonly<Record<string, number>> = { timeout: 1, flock: 1 };

export const SHELLS: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ash fish eval script su pwsh powershell".split(" "),
);

/** Interpreters, with the options that are followed by a program text. */
export const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-\w*c$/,
  node: /^(?:-e|-p|-pe|--eval|--print)$/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval)$/,
  perl: /^-\w*[eE]$/,
  ruby: /^-\w*e$/,
  php: /^-r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
  tclsh: /^$/,
};

/** Whether this is a program with an entry in these tables. */
export function isProgram(name: string): boolean {
  const tables = [WRITERS, RUNNERS, INTERPRETERS];
  return (
    SHELLS.has(name) ||
    /^(?:git|find|holdpoint)$/.test(name) ||
    tables.some((table) => Object.hasOwn(table, name))
  );
}

export function programName(word: string): string {
  const name = word.slice(word.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  return /^(python|node|ruby|perl|php|lua)[\d.]*$/.exec(name)?.[1] ?? name;
}

/** Programs that run what they read. */
export const RUNS_INPUT: RegExp = /\|\s*(?:at|batch|crontab|ssh|su|script|docker|nsenter|chroot)\b/;

/** A `cd` whose following commands run even if it fails. */
export const MAY_STAY: RegExp = /\b(?:cd|pushd)\b[^]*?(?:;|\n|\|\||[^&]&(?!&))/;
