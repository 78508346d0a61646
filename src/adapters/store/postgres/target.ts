/**
 * Where the store is, as libpq would read it: the URL first, then the service file, then the environment. `schema` and
 * `project` in the URL are ours.
 *
 *   postgresql://user@host1,host2:5433/database?sslmode=verify-full&schema=holdpoint&project=synths
 */
import { readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { StoreProblem } from "../../../ports/problem.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface Target {
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  /** The repository's name in the store, if one is configured. */
  readonly project: string | undefined;
  readonly option: (name: string) => string | undefined;
  /** For messages: everything except the password. */
  readonly where: string;
}

/** libpq's options, with their environment variables. */
const VARIABLES: Readonly<Record<string, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  dbname: "PGDATABASE",
  user: "PGUSER",
  password: "PGPASSWORD",
  passfile: "PGPASSFILE",
  service: "PGSERVICE",
  servicefile: "PGSERVICEFILE",
  sslmode: "PGSSLMODE",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  sslrootcert: "PGSSLROOTCERT",
  sslcrl: "PGSSLCRL",
  ssl_min_protocol_version: "PGSSLMINPROTOCOLVERSION",
  ssl_max_protocol_version: "PGSSLMAXPROTOCOLVERSION",
  connect_timeout: "PGCONNECT_TIMEOUT",
  application_name: "PGAPPNAME",
  options: "PGOPTIONS",
  target_session_attrs: "PGTARGETSESSIONATTRS",
};
/** `sslpassword` is libpq's too, but has no variable. */
const OWN = ["schema", "project", "sslpassword"];
const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
export const FORM =
  "Write postgresql://USER@HOST:PORT/DATABASE, with options behind a question mark as libpq has them.";

export function readTarget(url: string, env: Env): Target {
  const given = readUrl(url);
  const known = (name: string): string | undefined =>
    given.get(name) ?? env[VARIABLES[name] ?? ""] ?? undefined;
  const service = known("service");
  const served =
    service === undefined ? new Map<string, string>() : readService(service, env, known);
  const option = (name: string): string | undefined => {
    const value = given.get(name) ?? served.get(name) ?? env[VARIABLES[name] ?? ""];
    return value === "" ? undefined : value;
  };
  const user = option("user") ?? userInfo().username;
  const database = option("dbname") ?? user;
  const schema = option("schema") ?? "holdpoint";
  if (!SCHEMA.test(schema))
    throw wrong(`"${schema}" is no name of a schema`, "Use small letters, digits and _.");
  const hosts = hostsOf(option("host"), option("port"));
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(",");
  return {
    hosts,
    user,
    database,
    schema,
    project: option("project"),
    option,
    where: `${names}/${database}${schema === "holdpoint" ? "" : ` (schema ${schema})`}`,
  };
}

function readUrl(url: string): ReadonlyMap<string, string> {
  const match = /\s/.test(url) ? null : URL_FORM.exec(url);
  if (match === null) throw wrong("It is no address of PostgreSQL", FORM);
  const [, who = "", hosts = "", database = "", query = ""] = match;
  const [user = "", ...password] = who.split(":");
  const given = new Map<string, string>();
  const put = (name: string, value: string): void => {
    if (value !== "") given.set(name, decode(value));
  };
  put("user", user);
  put("password", password.join(":"));
  put("dbname", database);
  const places = hosts === "" ? [] : hosts.split(",").map((one) => /^(.*?)(?::(\d+))?$/.exec(one));
  put("host", places.map((one) => one?.[1] ?? "").join(","));
  put(
    "port",
    places.some((one) => one?.[2] !== undefined)
      ? places.map((one) => one?.[2] ?? "").join(",")
      : "",
  );
  for (const part of query.split("&").filter((one) => one !== "")) {
    const [name = "", ...value] = part.split("=");
    if (!(name in VARIABLES) && !OWN.includes(name))
      throw wrong(
        `It has an option "${name}" that is not known`,
        `Known are ${[...Object.keys(VARIABLES), ...OWN].join(", ")}.`,
      );
    put(name, value.join("="));
  }
  return given;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong("It has a % that begins no character", "Write a % as %25.");
  }
}

function hostsOf(hosts: string | undefined, ports: string | undefined): readonly Host[] {
  const names = (hosts ?? "127.0.0.1").split(",");
  const numbers = (ports ?? "").split(",").map((one) => Number(one === "" ? "5432" : one));
  if (numbers.some((one) => !Number.isInteger(one) || one < 1 || one > 65_535))
    throw wrong(`"${ports}" is no port`, FORM);
  if (numbers.length > 1 && numbers.length !== names.length)
    throw wrong("It has more or fewer ports than hosts", FORM);
  return names.map((host, at) => ({
    host: host === "" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1"),
    port: numbers[numbers.length === 1 ? 0 : at] ?? 5432,
  }));
}

function readService(
  service: string,
  env: Env,
  known: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const files = [
    known("servicefile") ?? join(homeOf(env), ".pg_service.conf"),
    join(env["PGSYSCONFDIR"] ?? "/etc/postgresql-common", "pg_service.conf"),
  ];
  for (const file of files) {
    const found = sectionOf(textOf(file), service);
    if (found !== undefined) return found;
  }
  throw wrong(`There is no service "${service}" in ${files.join(" or ")}`, "Write it there.");
}

function sectionOf(text: string, service: string): ReadonlyMap<string, string> | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const start = lines.indexOf(`[${service}]`);
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("["));
  const own = end < 0 ? rest : rest.slice(0, end);
  const pairs = own.filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    pairs.map((line) => [
      line.split("=")[0]?.trim() ?? "",
      line.split("=").slice(1).join("=").trim(),
    ]),
  );
}

/** The password from where libpq takes it: the URL, the service, PGPASSWORD, the password file. */
export function passwordFor(target: Target, { host, port }: Host, env: Env): string | undefined {
  const given = target.option("password");
  if (given !== undefined) return given;
  const file = target.option("passfile") ?? join(homeOf(env), ".pgpass");
  const stats = statSync(file, { throwIfNoEntry: false });
  // As in libpq: a password file that others can read is ignored.
  if (stats === undefined || !stats.isFile() || (stats.mode & 0o077) !== 0) return undefined;
  const wanted = [
    host.startsWith("/") ? "localhost" : host,
    String(port),
    target.database,
    target.user,
  ];
  for (const line of textOf(file).split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = (line.match(/(?:\\.|[^:\\])+/g) ?? []).map((one) =>
      one.replaceAll(/\\(.)/g, "$1"),
    );
    if (fields.length === 5 && wanted.every((one, at) => fields[at] === "*" || fields[at] === one))
      return fields[4];
  }
  return undefined;
}

export function homeOf(env: Env): string {
  return env["HOME"] ?? homedir();
}

const FILE_BYTES_MAX = 1024 * 1024;

function textOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > FILE_BYTES_MAX) return "";
  return readFileSync(file, "utf8");
}

function wrong(message: string, fix: string): StoreProblem {
  return new StoreProblem({
    code: "store-address",
    message: `The address of the store cannot be used: ${message}`,
    fix,
  });
}
