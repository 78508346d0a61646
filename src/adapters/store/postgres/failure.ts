/** Translates errors of PostgreSQL and of the network into what they mean for the caller. */
import { StoreProblem } from "../../../ports/problem.ts";

/** Network errors, and those of a server that is stopping, starting or full. */
const LOST = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
]);

/** Two transactions conflicted; trying again may succeed. */
const AGAIN = new Set(["40001", "40P01"]);

export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (LOST.has(code) || code.startsWith("08")) return true;
  const text = error instanceof Error ? error.message : "";
  return /Connection terminated|timeout expired|connection.*closed|not queryable|Query read timeout/i.test(
    text,
  );
}

export function isWorthAnotherTry(error: unknown): boolean {
  return isLost(error) || AGAIN.has(codeOf(error));
}

/** The server's own message, without the query. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map(wordsOf).join("; ");
  const said = error instanceof Error ? error.message : String(error);
  // OpenSSL's message without its source location.
  return (/:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(said)?.[1] ?? said).trim();
}

/** `where` names the server without a password. */
export function storeError(error: unknown, where: string): StoreProblem {
  if (error instanceof StoreProblem) return error;
  const said = wordsOf(error);
  // If there is no password at all, `pg` itself fails, without a code.
  const code = /SASL|password/i.test(said) && codeOf(error) === "" ? "28P01" : codeOf(error);
  if (TLS.test(code) || NO_TLS.test(said))
    return new StoreProblem({
      code: "store-tls",
      message: `The connection to the store at ${where} is not one to trust: ${said}`,
      fix: tlsFix(code, said),
    });
  const known = MEANINGS.find(({ codes }) => codes.test(code));
  if (known !== undefined)
    return new StoreProblem({
      code: known.code,
      message: `The store at ${where} ${known.what}: ${said}`,
      fix: known.fix,
    });
  if (isLost(error))
    return new StoreProblem(
      {
        code: "store-unreachable",
        message: `The store at ${where} cannot be reached: ${said}`,
        fix: "See that the server runs and that this machine can reach it, then try again; nothing is lost.",
      },
      true,
    );
  return new StoreProblem({
    code: "store-failed",
    message: `The store at ${where} failed: ${said}`,
    fix: "See the server's log; nothing was recorded.",
  });
}

const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;
const NO_TLS = /does not support SSL/;

function tlsFix(code: string, said: string): string {
  if (NO_TLS.test(said))
    return "The server does not encrypt: set ssl = on there, or sslmode=disable where nobody is in between.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "Name the server by a name that stands in its certificate. If it should be in it, somebody else may be answering.";
  if (/ALERT|EPROTO/.test(code))
    return "The server does not accept what this side shows: see sslcert, sslkey and ssl_min_protocol_version.";
  return "Name the certificate of whoever signed the server's (sslrootcert). If it is named, somebody else may be answering.";
}

const MEANINGS: readonly {
  readonly codes: RegExp;
  readonly code: string;
  readonly what: string;
  readonly fix: string;
}[] = [
  {
    codes: /^28/,
    code: "store-password",
    what: "does not let this user in",
    fix: "Give the user and the password as libpq takes them: PGUSER, PGPASSWORD, PGPASSFILE or a service file; never in the configuration.",
  },
  {
    codes: /^3D000$/,
    code: "store-no-database",
    what: "has no such database",
    fix: "Create the database, or name another one.",
  },
  {
    codes: /^42501$/,
    code: "store-rights",
    what: "does not allow this to the user",
    fix: "Have the owner of the store give this role its rights (holdpoint store setup --role NAME), or use a role that has them.",
  },
  {
    // What this connection has prepared is on another one now, or another one's is here.
    codes: /^(?:26000|42P05)$/,
    code: "store-pooled",
    what: "keeps nothing for one connection",
    fix: "It is reached through a pooler in transaction mode: let that pool by session, or name the server itself.",
  },
  {
    codes: /^42704$/,
    code: "store-role",
    what: "does not know this role",
    fix: "Make it first, as the administrator of the server: createuser --pwprompt NAME",
  },
  {
    codes: /^(?:42P01|3F000|42883)$/,
    code: "store-not-set-up",
    what: "is not set up",
    fix: "Set it up as the owner of the database: holdpoint store setup --url postgresql://OWNER@HOST/DATABASE",
  },
  {
    codes: /^25006$/,
    code: "store-read-only",
    what: "takes no writes",
    fix: "It is a standby, or was set to read-only: name the primary, or promote it.",
  },
  {
    codes: /^53(?:100|200)$/,
    code: "store-full",
    what: "has no room left",
    fix: "Make room on the server, then try again; nothing was recorded.",
  },
  {
    codes: /^(?:HP002|23514)$/,
    code: "store-bounds",
    what: "keeps nothing as large as this",
    fix: "Keep large content in a file, and let git carry it; nothing was recorded.",
  },
  {
    // The loser of a race meets the other's record, or tries to append after a record that is no longer the last.
    codes: /^(?:23505|44000)$/,
    code: "store-duplicate",
    what: "has another record there",
    fix: "Try again: somebody else was faster.",
  },
  {
    codes: /^(?:55P03|57014)$/,
    code: "store-busy",
    what: "is held up by another transaction",
    fix: "See which one it is (pg_stat_activity), end it, then try again; nothing was recorded.",
  },
];
