/** People with keys, a policy that asks for them, and a plugin that waits for a release. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BIN, commitFile, NO_CHECKS } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { NAME, pluginAt } from "./plugin.ts";
import type { Stand } from "./plugin.ts";

export const ADA = "ada@example.org";
export const BOB = "bob@example.org";

export function homeOf({ top }: Pick<Scratch, "top">): string {
  return dirname(top);
}

/** A key among those of the person who works here; without a passphrase, as a test cannot type one. */
export function makeKey(scratch: Scratch, name: string, options: { phrase?: string } = {}): string {
  const file = join(homeOf(scratch), ".ssh", name);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const phrase = options.phrase ?? "";
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", file]);
  return file;
}

/** The line by which a key counts under a name. */
export function lineOf(file: string, name: string, options: string = ""): string {
  const [type = "", key = ""] = readFileSync(`${file}.pub`, "utf8").split(" ");
  return `${name} namespaces="release@holdpoint"${options} ${type} ${key}\n`;
}

export function commitPolicy(scratch: Scratch, policy: unknown, signers?: string): void {
  if (signers !== undefined) commitFile(scratch, "allowed_signers", signers);
  const config = JSON.stringify({ checks: NO_CHECKS, policy });
  commitFile(scratch, "holdpoint.config.json", config);
}

export interface Guarded {
  readonly scratch: Scratch;
  readonly ada: string;
  readonly bob: string;
}

/** A plugin at a question that only a signature answers; Ada's and Bob's keys count. */
export function signedPlugin(policy: object = {}, stand: Stand = "s0"): Guarded {
  const scratch = pluginAt(stand);
  const ada = makeKey(scratch, "ada");
  const bob = makeKey(scratch, "bob");
  const signers = lineOf(ada, ADA) + lineOf(bob, BOB);
  commitPolicy(scratch, { strength: "signed", ...policy }, signers);
  return { scratch, ada, bob };
}

export function presentPlugin(policy: object = {}): Scratch {
  const scratch = pluginAt("s0");
  commitPolicy(scratch, { strength: "presence", ...policy });
  return scratch;
}

/** Whether the question still waits, and nothing went on. */
export function isHeld(scratch: Scratch): boolean {
  const { held = [] } = scratch.hold(["status", NAME]).json;
  return held.some((one) => one.question === "stage-0-complete");
}

/** As `hold`, by a process that no terminal controls, wherever the tests run. */
export function withoutTerminal(scratch: Scratch, args: readonly string[]): Reply {
  const words = ["--wait", process.execPath, BIN, ...args, "--json"];
  const options = { cwd: scratch.top, env: scratch.env, encoding: "utf8", stdio: "pipe" } as const;
  try {
    const stdout = execFileSync("setsid", words, options);
    return { exit: 0, json: JSON.parse(stdout), stdout, stderr: "" };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { exit: status, json: JSON.parse(stdout), stdout, stderr: "" };
  }
}

/** A program that pretends to be a terminal, and somebody who types what `types` makes of what is printed there. */
export async function atFakeTerminal(
  scratch: Scratch,
  args: readonly string[],
  types: (printed: string) => string | undefined,
  pipes: string = "",
): Promise<{ readonly printed: string; readonly exit: number }> {
  const words = [process.execPath, BIN, ...args].map((one) => `'${one}'`).join(" ");
  const line = pipes === "" ? `exec ${words}` : `${words} ${pipes}`;
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd: scratch.top,
    env: scratch.env,
    timeout: 60_000,
  });
  let printed = "";
  let typed = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    const answer = typed ? undefined : types(printed);
    if (answer === undefined) return;
    typed = true;
    child.stdin.write(answer);
  });
  const exit = await new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? -1));
  });
  return { printed, exit };
}

/** The same by `expect`; where it is not installed, by the pseudo-terminal that Python opens, which is all that `expect` does. */
export async function atExpect(
  scratch: Scratch,
  args: readonly string[],
): Promise<{ readonly printed: string; readonly exit: number }> {
  const words = [process.execPath, BIN, ...args];
  const options = {
    cwd: scratch.top,
    env: scratch.env,
    encoding: "utf8",
    timeout: 60_000,
  } as const;
  const expecting = spawnSync("expect", ["-f", "-", "--", ...words], { ...options, input: EXPECT });
  const run =
    expecting.error === undefined
      ? expecting
      : spawnSync("python3", ["-", ...words], { ...options, input: PYTHON });
  if (run.error !== undefined) throw new Error("neither expect nor python3 is here");
  return { printed: run.stdout, exit: run.status ?? -1 };
}

const EXPECT = String.raw`
set timeout 50
spawn -noecho {*}$argv
expect {
  -re {Type "([a-z ]+)" to release it; anything else does not: } {
    send "$expect_out(1,string)\r"
    exp_continue
  }
  eof {}
}
catch wait result
exit [lindex $result 3]
`;

const PYTHON = String.raw`
import os, pty, re, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
printed, typed = b"", False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    printed += part
    words = re.search(rb'Type "([a-z ]+)" to release it; anything else does not: ', printed)
    if words and not typed:
        typed = True
        os.write(terminal, words.group(1) + b"\r")
sys.stdout.buffer.write(printed)
sys.stdout.flush()
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

/** The words that a challenge asks for, as they are typed back. */
export function wordsIn(printed: string): string | undefined {
  const [, words] = /Type "([a-z ]+)" to release it/.exec(printed) ?? [];
  return words === undefined ? undefined : `${words}\n`;
}

/** The releases that the journals keep, in the order of the files. */
export function releasesIn(scratch: Scratch): readonly Release[] {
  const directory = join(scratch.top, ".git/holdpoint/journals");
  return readdirSync(directory)
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"))
    .filter((line) => line.includes('"release.given"'))
    .flatMap((line) => {
      const { body } = JSON.parse(line) as { body: { events: readonly Release[] } };
      return body.events.filter(({ type }) => type === "release.given");
    });
}

export interface Release {
  readonly type: string;
  readonly nonce: string;
  readonly by: string;
  readonly key: string;
  readonly proof: { readonly statement: string; readonly signature: string };
}

export function write(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}
