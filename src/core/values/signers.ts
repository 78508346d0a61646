/**
 * `allowed_signers`, as OpenSSH reads it (ssh-keygen(1)): which keys count, and which authorities may certify more.
 *
 *     ada@example.org namespaces="release@holdpoint",valid-before="20271231" ssh-ed25519 AAAA... a comment
 *     *@example.org cert-authority,namespaces="release@holdpoint" ssh-ed25519 AAAA...
 */
export interface Signer {
  readonly principals: readonly string[];
  readonly options: Readonly<Record<string, string>>;
  readonly type: string;
  /** The key itself, in base64. */
  readonly key: string;
  readonly line: number;
}

export interface Signers {
  readonly signers: readonly Signer[];
  /** Certificate authorities: their own signatures do not count, but keys they have certified do. */
  readonly authorities: readonly Signer[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

const LINE =
  /^("[^"]+"|\S+)\s+(?:((?:[\w-]+(?:="[^"]*")?)(?:,[\w-]+(?:="[^"]*")?)*)\s+)?((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+)\s+([A-Za-z0-9+/]{40,}={0,2})(?:\s.*)?$/;

const SIGNERS_MAX = 10_000;
const LINE_CHARS_MAX = 16_384;

export function readSigners(text: string): Signers {
  const signers: Signer[] = [];
  const authorities: Signer[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const [at, raw] of text.split(/\r?\n/, SIGNERS_MAX).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const found = line.length > LINE_CHARS_MAX ? null : LINE.exec(line);
    if (found === null) {
      problems.push({ line: at + 1, message: "is no name followed by a key" });
      continue;
    }
    const [, names = "", options = "", type = "", key = ""] = found;
    const principals = names.replaceAll('"', "").split(",");
    const signer = { principals, options: optionsIn(options), type, key, line: at + 1 };
    (Object.hasOwn(signer.options, "cert-authority") ? authorities : signers).push(signer);
  }
  return { signers, authorities, problems };
}

export function isForReleases({ options: { namespaces } }: Signer): boolean {
  return namespaces === undefined || /(?:^|,)[^,]*(?:release@|[*?])/.test(namespaces);
}

/**
 * Unreadable lines of the file with revoked keys. They matter because a key meant to be revoked would still
 * count.
 */
export function brokenRevoked(text: string): readonly number[] {
  return text
    .split(/\r?\n/, SIGNERS_MAX)
    .flatMap((line, at) =>
      line.trim() === "" || line.startsWith("#") || REVOKED_LINE.test(line.trim()) ? [] : [at + 1],
    );
}

const REVOKED_LINE = /^(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+[A-Za-z0-9+/]{40,}={0,2}(?:\s.*)?$/;

function optionsIn(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/([\w-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries(
    [...found].map(([, name = "", value = ""]) => [name.toLowerCase(), value]),
  );
}

/** The names written out in a line. A pattern names nobody in particular. */
export function namesOf({ principals }: Signer): readonly string[] {
  return principals.filter((one) => !/[*?!]/.test(one));
}

/** Whether a key is valid at this time. Times are written `20271231` or `20271231093000`, with or without `Z`. */
export function isValidAt({ options }: Signer, at: string): boolean {
  const now = at.replaceAll(/\D/g, "").slice(0, TIME_DIGITS);
  const after = timeIn(options["valid-after"]);
  const before = timeIn(options["valid-before"]);
  return (after === undefined || now >= after) && (before === undefined || now < before);
}

const TIME_DIGITS = 14;

function timeIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const digits = value.replace(/Z$/, "");
  return digits.padEnd(TIME_DIGITS, "0");
}

/** A person's own key: a plain one, or one certified by an authority for some names. */
export interface Own {
  readonly key: string;
  readonly certified?: { readonly names: readonly string[]; readonly by: string };
}

/** The lines that make this key count, with the names they give it. */
export function linesFor(
  { key, certified }: Own,
  { signers, authorities }: Signers,
  fingerprint: (key: string) => string,
): readonly { readonly line: Signer; readonly names: readonly string[] }[] {
  if (certified === undefined)
    return signers.filter((one) => one.key === key).map((line) => ({ line, names: namesOf(line) }));
  const { names, by } = certified;
  return authorities.filter((one) => fingerprint(one.key) === by).map((line) => ({ line, names }));
}

/** Whether a key type is kept in a hardware device that requires a touch. */
export function isHardware(type: string): boolean {
  return type.startsWith("sk-");
}
