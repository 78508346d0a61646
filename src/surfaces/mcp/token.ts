/** Stores what only this user's programs may read: the token for the server, and where it listens. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Not reachable from other machines. */
export const HOST = "127.0.0.1";

export interface Keep {
  readonly token: string;
  /** Where the token can be read. */
  readonly file: string;
  /** The port used last time, so that what clients have been told stays valid. */
  readonly port: number;
  readonly remember: (port: number) => void;
}

const TOKEN = /^[0-9a-f]{64}$/;
const PRIVATE = 0o600;

/**
 * The token of this store. A new one is made if it is missing, or if somebody else could have read or written it.
 */
export function keepIn(store: string): Keep {
  const dir = join(store, "mcp");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const file = join(dir, "token");
  const token = tokenIn(file) ?? makeToken(file);
  const port = Number(/^\d{1,5}$/.exec(readPrivate(join(dir, "port")) ?? "")?.[0] ?? 0);
  return {
    token,
    file,
    port: port > 65_535 ? 0 : port,
    remember: (now) => writePrivate(join(dir, "port"), String(now)),
  };
}

function tokenIn(file: string): string | undefined {
  const known = readPrivate(file);
  return known !== undefined && TOKEN.test(known) ? known : undefined;
}

/** If two servers create one at the same time, both use the first. */
function makeToken(file: string): string {
  const fresh = writeFresh(file, randomBytes(32).toString("hex"));
  try {
    if (!linked(fresh, file) && tokenIn(file) === undefined) {
      rmSync(file, { force: true, recursive: true });
      linked(fresh, file);
    }
  } finally {
    rmSync(fresh, { force: true });
  }
  const kept = tokenIn(file);
  if (kept === undefined) throw new Error(`${file} cannot be kept for this user alone`);
  return kept;
}

/** True if the name was still free. */
function linked(fresh: string, file: string): boolean {
  try {
    linkSync(fresh, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined unless it is a small file of our own that nobody else can read. */
function readPrivate(file: string): string | undefined {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { mode, uid, size } = fstatSync(descriptor);
      const own = uid === (process.getuid?.() ?? uid) && (mode & 0o777) === PRIVATE;
      return own && (mode & constants.S_IFMT) === constants.S_IFREG && size <= 128
        ? readFileSync(descriptor, "utf8").trim()
        : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function writePrivate(file: string, text: string): void {
  renameSync(writeFresh(file, text), file);
}

function writeFresh(file: string, text: string): string {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  writeFileSync(fresh, `${text}\n`, { mode: PRIVATE, flag: "wx" });
  return fresh;
}
