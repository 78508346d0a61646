/** How a connection is encrypted and which servers it trusts, according to libpq's options. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkServerIdentity } from "node:tls";
import type { SecureVersion } from "node:tls";
import type { Settings } from "pg";
import { StoreProblem } from "../../../ports/problem.ts";
import { wordsOf } from "./failure.ts";
import type { Env, Target } from "./target.ts";
import { homeOf } from "./target.ts";

type Ssl = Settings["ssl"];

export function sslOf(mode: string, { option }: Target, host: string, env: Env): Ssl {
  if (mode === "disable") return false;
  if (!MODES.includes(mode))
    throw new StoreProblem({
      code: "store-address",
      message: `The address of the store cannot be used: "${mode}" is no sslmode`,
      fix: `Use one of ${MODES.join(", ")}, or disable.`,
    });
  const given = (name: string, usual: string): string | undefined => {
    const own = join(homeOf(env), ".postgresql", usual);
    return option(name) ?? (existsSync(own) ? own : undefined);
  };
  const root = given("sslrootcert", "root.crt");
  const ca = root === undefined || root === "system" ? undefined : read("root certificate", root);
  const files = { ...(ca === undefined ? {} : { ca }), ...own(given), ...protocols(option) };
  // As in libpq: with a root certificate, `require` also verifies.
  const isVerified = mode.startsWith("verify-") || (mode === "require" && ca !== undefined);
  if (!isVerified) return { ...files, rejectUnauthorized: false };
  if (root === undefined)
    throw wrong(
      `sslmode is ${mode}, and there is no root certificate to verify the server by`,
      "Name it with sslrootcert or PGSSLROOTCERT, lay it at ~/.postgresql/root.crt, or use sslrootcert=system.",
    );
  const isAny = mode !== "verify-full" && root !== "system";
  return {
    ...files,
    rejectUnauthorized: true,
    // `pg` only passes a host name to TLS: an address would be compared with "localhost".
    checkServerIdentity: (_name, certificate) =>
      isAny ? undefined : checkServerIdentity(host, certificate),
  };
}

const MODES = ["allow", "prefer", "require", "verify-ca", "verify-full"];

/** This side's certificate and key. */
function own(
  given: (name: string, usual: string) => string | undefined,
): Pick<Exclude<Ssl, false>, "cert" | "key" | "crl"> {
  const [cert, key, crl] = [
    given("sslcert", "postgresql.crt"),
    given("sslkey", "postgresql.key"),
    given("sslcrl", "root.crl"),
  ];
  if (cert !== undefined && key === undefined)
    throw wrong(`There is no key to the certificate ${cert}`, "Name it with sslkey or PGSSLKEY.");
  const shown =
    cert === undefined || key === undefined
      ? {}
      : { cert: read("certificate", cert), key: read("key", key, true) };
  return { ...shown, ...(crl === undefined ? {} : { crl: read("revocation list", crl) }) };
}

function protocols(
  option: Target["option"],
): Pick<Exclude<Ssl, false>, "minVersion" | "maxVersion" | "passphrase"> {
  const version = (name: string): SecureVersion | undefined => {
    const value = option(name);
    const known = VERSIONS.find((one) => one === value);
    if (value === undefined || known !== undefined) return known;
    throw wrong(`"${value}" is no ${name}`, `Use one of ${VERSIONS.join(", ")}.`);
  };
  const [minVersion, maxVersion, passphrase] = [
    version("ssl_min_protocol_version"),
    version("ssl_max_protocol_version"),
    option("sslpassword"),
  ];
  return {
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

const VERSIONS: readonly SecureVersion[] = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];
const FILE_BYTES_MAX = 4 * 1024 * 1024;

function read(what: string, path: string, isSecret = false): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > FILE_BYTES_MAX)
    throw wrong(`The ${what} ${path} is not there, or no file`, "Name the file that holds it.");
  // As in libpq: a key owned by root may be readable by its group.
  const others = stats.uid === 0 ? 0o027 : 0o077;
  if (isSecret && (stats.mode & others) !== 0)
    throw wrong(
      `The ${what} ${path} can be read by others`,
      `Take their rights: chmod 600 ${path}`,
    );
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw wrong(
      `The ${what} ${path} cannot be read: ${wordsOf(error)}`,
      "Give this user the right to.",
    );
  }
}

function wrong(message: string, fix: string): StoreProblem {
  return new StoreProblem({ code: "store-tls", message, fix });
}
