/** This user's keys, and making a new one. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isHardware } from "../../core/values/signers.ts";
import type { Made, OwnKey, Problem } from "../../ports/signatures.ts";

export type Keygen = (
  args: readonly string[],
  given?: { readonly input?: string; readonly terminal?: boolean },
) => Promise<{ readonly kind: "ran"; readonly ok: boolean; readonly output: string } | Problem>;

const KEYS_MAX = 100;
const KEY_CHARS_MAX = 16_384;

export async function ownKeys(keygen: Keygen, home: string): Promise<readonly OwnKey[]> {
  const directory = join(home, ".ssh");
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith(".pub")).sort();
  const keys: OwnKey[] = [];
  for (const name of files.slice(0, KEYS_MAX)) {
    const key = await ownKey(keygen, join(directory, name));
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

export async function ownKey(keygen: Keygen, publicFile: string): Promise<OwnKey | undefined> {
  const text = await readFile(publicFile, "utf8").catch(() => "");
  const [, type = "", key = "", comment = ""] =
    /^((?:sk-)?(?:ssh|ecdsa)-\S+) ([A-Za-z0-9+/=]+)(?: (.*))?$/m.exec(
      text.slice(0, KEY_CHARS_MAX),
    ) ?? [];
  if (key === "") return undefined;
  const own = publicFile.replace(/(?:-cert)?\.pub$/, "");
  const isCertificate = type.endsWith(CERTIFICATE);
  // Beside a certificate, OpenSSH finds the private key and signs with both.
  const file = existsSync(own) && !isCertificate ? own : publicFile;
  const open = existsSync(own) && (await isOpen(keygen, own, type));
  const certified = isCertificate ? await certifiedIn(keygen, publicFile) : undefined;
  return { file, type, key, comment, open, ...(certified === undefined ? {} : { certified }) };
}

const CERTIFICATE = "-cert-v01@openssh.com";

/** The names a certificate is for and its authority, as OpenSSH reads it. */
async function certifiedIn(keygen: Keygen, file: string): Promise<OwnKey["certified"]> {
  const ran = await keygen(["-L", "-f", file]);
  const output = ran.kind === "ran" && ran.ok ? ran.output : "";
  const [, by = ""] = /^ *Signing CA: \S+ (SHA256:\S+)/m.exec(output) ?? [];
  const [, listed = ""] = /^ *Principals: *\n((?: {16}\S.*\n)*)/m.exec(output) ?? [];
  const names = listed.split("\n").flatMap((line) => (line === "" ? [] : [line.trim()]));
  return { names, by };
}

export function fingerprint(key: string): string {
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

/** Whether anybody who can read the file can sign with it: no passphrase, and no device with a touch. */
async function isOpen(keygen: Keygen, file: string, type: string): Promise<boolean> {
  if (isHardware(type)) return false;
  const ran = await keygen(["-y", "-P", "", "-f", file]);
  return ran.kind === "ran" && ran.ok;
}

/** OpenSSH itself asks for the passphrase, at the terminal. */
export async function makeKey(
  keygen: Keygen,
  file: string,
  { hardware }: { readonly hardware: boolean },
): Promise<Made> {
  if (existsSync(file) || existsSync(`${file}.pub`))
    return {
      kind: "problem",
      code: "key-exists",
      message: `There is a key in ${file} already`,
      fix: "Name another file for the new key, or use this one.",
    };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const type = hardware ? "ed25519-sk" : "ed25519";
  const ran = await keygen(["-q", "-t", type, "-C", "holdpoint", "-f", file], { terminal: true });
  if (ran.kind === "problem") return ran;
  const key = ran.ok ? await ownKey(keygen, `${file}.pub`) : undefined;
  if (key !== undefined) return { kind: "made", key };
  return {
    kind: "problem",
    code: "key-not-made",
    message: `ssh-keygen made no key in ${file}`,
    fix: hardware
      ? "Plug the device in, and try again at a terminal."
      : "Try again at a terminal, where it can ask for a passphrase.",
  };
}
