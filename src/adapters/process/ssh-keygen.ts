/**
 * Signatures made and verified by the installed OpenSSH. It is looked for in system directories and not in PATH,
 * which the caller controls. It runs without a shell, with a minimal environment, a time limit, and only the keys
 * that we pass.
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { NAMESPACE } from "../../core/decide/decisions/statement.ts";
import { brokenRevoked, isValidAt, readSigners } from "../../core/values/signers.ts";
import type { Signers } from "../../core/values/signers.ts";
import type { Problem, Signature, Signatures, Signed, Verified } from "../../ports/signatures.ts";
import { fingerprint, makeKey, ownKeys } from "./own-keys.ts";
import type { Keygen } from "./own-keys.ts";

const PLACES: readonly string[] = [
  "/usr/bin",
  "/bin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
  "/run/current-system/sw/bin",
];

const VERIFY_MS_MAX = 20_000;
/** Time for a person to type a passphrase, or to find and touch a device. */
const SIGN_MS_MAX = 5 * 60_000;
const OUTPUT_CHARS_MAX = 16_000;
const SIGNATURE_CHARS_MAX = 64_000;

export interface SignaturesOptions {
  /** Directories in which OpenSSH may be. */
  readonly places?: readonly string[];
  readonly home?: string;
}

export function createSignatures(options: SignaturesOptions = {}): Signatures {
  const { places = PLACES, home = homedir() } = options;
  const program = places.map((one) => join(one, "ssh-keygen")).find((file) => existsSync(file));
  const keygen: Keygen = async (args, given = {}) =>
    program === undefined ? MISSING : await run(program, args, given);
  return {
    verify: async (signed) => await verify(keygen, signed),
    sign: async (text, key) => await sign(keygen, text, key),
    keys: async () => await ownKeys(keygen, home),
    fingerprint,
    make: async (name, wanted) => await makeKey(keygen, join(home, ".ssh", name), wanted),
  };
}

const MISSING: Problem = {
  kind: "problem",
  code: "ssh-keygen-missing",
  message: `There is no ssh-keygen in ${PLACES.join(", ")}, so no signature can be made or checked`,
  fix: "Install OpenSSH (openssh-client), version 8.2 or later.",
};

async function run(
  program: string,
  args: readonly string[],
  { input = "", terminal = false }: { readonly input?: string; readonly terminal?: boolean },
): ReturnType<Keygen> {
  const { spawn } = await import("node:child_process");
  // OpenSSH only asks at its standard input if that is a terminal. Ours may be a pipe although a person is there,
  // so the terminal is passed instead.
  const tty = terminal ? openTerminal() : undefined;
  const asks = tty ?? (terminal ? "ignore" : "pipe");
  const child = spawn(program, args, {
    stdio: [asks, "pipe", tty ?? "pipe"],
    env: environment(terminal),
    timeout: terminal ? SIGN_MS_MAX : VERIFY_MS_MAX,
    killSignal: "SIGKILL",
  });
  if (tty !== undefined) closeSync(tty);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < OUTPUT_CHARS_MAX) output += text;
    });
  child.stdin?.on("error", () => undefined).end(input);
  return await new Promise((resolve) => {
    child.once("error", (error) =>
      resolve({ ...MISSING, message: `ssh-keygen: ${error.message}` }),
    );
    child.once("close", (code) => resolve({ kind: "ran", ok: code === 0, output }));
  });
}

/** The controlling terminal; undefined if there is none. */
function openTerminal(): number | undefined {
  try {
    return openSync("/dev/tty", "r+");
  } catch {
    return undefined;
  }
}

/** Variables for keys, agents and devices, but none that would make it ask anywhere else than at the terminal. */
function environment(terminal: boolean): NodeJS.ProcessEnv {
  const { HOME, TERM, SSH_AUTH_SOCK, SSH_SK_PROVIDER } = process.env;
  const asks = terminal ? { TERM, SSH_AUTH_SOCK, SSH_SK_PROVIDER } : {};
  return {
    HOME,
    ...asks,
    PATH: "/usr/bin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
    SSH_ASKPASS_REQUIRE: "never",
  };
}

async function inPrivate<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "holdpoint-sign-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function sign(keygen: Keygen, text: string, key: string): Promise<Signature> {
  return await inPrivate(async (directory) => {
    const file = join(directory, "statement");
    await writeFile(file, text, { mode: 0o600 });
    const ran = await keygen(["-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, file], {
      terminal: true,
    });
    if (ran.kind === "problem") return ran;
    const signature = ran.ok ? await readFile(`${file}.sig`, "utf8").catch(() => "") : "";
    if (signature !== "") return { kind: "signed", signature };
    return unsigned(key);
  });
}

function unsigned(key: string): Problem {
  const tty = openTerminal();
  if (tty === undefined)
    return bad(
      "signing-failed",
      `${key} did not sign: this process has no terminal at which it could ask for its passphrase or a touch`,
      "Give the same command yourself, in a terminal of your own; nothing was released.",
    );
  closeSync(tty);
  return bad(
    "signing-failed",
    `${key} did not sign: a wrong passphrase, or no touch`,
    "Give the same command again; nothing was released.",
  );
}

async function verify(keygen: Keygen, signed: Signed): Promise<Verified> {
  const known = readSigners(signed.signers);
  const [broken] = known.problems;
  if (broken !== undefined)
    return {
      kind: "problem",
      code: "signers-broken",
      message: `Line ${broken.line} of the file with people's keys ${broken.message}, so none of them counts`,
      fix: 'Write each line as: name namespaces="release@holdpoint" ssh-ed25519 AAAA..., and commit it.',
    };
  const [odd] = brokenRevoked(signed.revoked);
  if (odd !== undefined)
    return bad(
      "revoked-broken",
      `Line ${odd} of the file with revoked keys is no public key, so no signature counts`,
      "Write each as: ssh-ed25519 AAAA..., and commit it; a binary list (KRL) is not read: list the keys themselves, or the authority that certified them.",
    );
  const wrong = unfit(signed, known);
  if (wrong !== undefined) return wrong;
  return await inPrivate(async (directory) => {
    const file = (name: string): string => join(directory, name);
    await writeFile(file("signers"), signed.signers, { mode: 0o600 });
    await writeFile(file("signature"), signed.signature, { mode: 0o600 });
    const args = ["-Y", "verify", "-n", NAMESPACE, "-I", signed.by];
    args.push("-f", file("signers"), "-s", file("signature"), `-Overify-time=${timeOf(signed.at)}`);
    if (signed.revoked !== "") {
      await writeFile(file("revoked"), signed.revoked, { mode: 0o600 });
      args.push("-r", file("revoked"));
    }
    const ran = await keygen(args, { input: signed.text });
    if (ran.kind === "problem") return ran;
    const [, type = "", key = ""] =
      /^Good ".*" signature for .* with (\S+) key (SHA256:\S+)$/m.exec(ran.output) ?? [];
    if (ran.ok && key !== "")
      return {
        kind: "good",
        key,
        hardware: /-SK(?:-CERT)?$/.test(type) && wasTouched(signed.signature),
        names: known.signers
          .filter((one) => fingerprint(one.key) === key)
          .flatMap(({ principals }) => principals),
      };
    return bad(
      "signature-bad",
      "The signature does not fit what was signed, or its key does not count",
      SIGN_AGAIN,
    );
  });
}

const SIGN_AGAIN = "Look at it once more and sign it again.";

function bad(code: string, message: string, fix: string): Problem {
  return { kind: "problem", code, message, fix };
}

/** Why a key does not count, according to its line. Whether the signature is good is for OpenSSH to decide. */
function unfit(
  { signature, by, at, revoked }: Signed,
  { signers, authorities }: Signers,
): Problem | undefined {
  if (!/^[\w@.+-]{1,200}$/.test(by))
    return bad("signer-unknown", "The release does not say whose it is", SIGN_AGAIN);
  const key = keyIn(signature);
  if (key === undefined)
    return bad("signature-bad", "That is no signature of OpenSSH's", SIGN_AGAIN);
  const own = isCertificate(key) ? authorities : signers.filter((one) => one.key === key);
  if (own.length === 0)
    return bad(
      "signer-unknown",
      isCertificate(key)
        ? "It is signed with a certificate, and no authority counts here"
        : "The key that signed is none of those that count here",
      "Sign with a key that the protected branch lists, or let somebody who has one add yours.",
    );
  if (revoked.includes(key))
    return bad("key-revoked", `The key of ${by} was revoked`, "Sign with another key.");
  if (own.some((one) => isValidAt(one, at))) return undefined;
  return bad(
    "key-expired",
    `The key of ${by} counts only within the time that its line names`,
    "Sign with another key, or let somebody who has one renew the line.",
  );
}

/** The public key named in a signature. */
function keyIn(signature: string): string | undefined {
  const [key] = fieldsOf(signature);
  return key === undefined || key.length === 0 ? undefined : key.toString("base64");
}

/**
 * Some hardware keys can be created to sign without a touch; anybody who reaches the device could then use it.
 */
function wasTouched(signature: string): boolean {
  const own = fieldsOf(signature)[4] ?? Buffer.alloc(0);
  const [type, bytes] = framed(own, 0);
  const flags = own[FRAME_BYTES * 2 + (type?.length ?? 0) + (bytes?.length ?? 0)] ?? 0;
  return (flags & TOUCHED) !== 0;
}

const FRAME_BYTES = 4;
const TOUCHED = 1;

/** The fields of an OpenSSH signature after `SSHSIG` and a version: key, namespace, reserved, hash, signature. */
function fieldsOf(signature: string): readonly Buffer[] {
  const [, body = ""] =
    /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)\r?\n-----END SSH SIGNATURE-----\s*$/.exec(
      signature.slice(0, SIGNATURE_CHARS_MAX),
    ) ?? [];
  const bytes = Buffer.from(body, "base64");
  return bytes.toString("latin1", 0, 6) === "SSHSIG" ? framed(bytes, 10) : [];
}

/** Length-prefixed parts, up to the first incomplete one. */
function framed(bytes: Buffer, start: number): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = start; at + FRAME_BYTES <= bytes.length && parts.length < FIELDS_MAX;) {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    parts.push(bytes.subarray(at + FRAME_BYTES, end));
    at = end;
  }
  return parts;
}

const FIELDS_MAX = 8;

/** The key begins with the name of its type. Whose certificate it is, OpenSSH decides. */
function isCertificate(key: string): boolean {
  return Buffer.from(key.slice(0, 100), "base64").includes("-cert-v01@openssh.com");
}

function timeOf(at: string): string {
  return at.replaceAll(/\D/g, "").slice(0, 14);
}
