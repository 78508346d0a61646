/** Encryption as libpq has it, with a certification authority of one's own: whom this side trusts, and what it shows. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import { tallyFold } from "../conformance/journal.ts";
import { AGENT, makeRoom, serverUrl } from "./harness.ts";
import type { Room } from "./harness.ts";
import { someUser, startServer } from "./server.ts";
import type { Server } from "./server.ts";

let dir: string;
let server: Server;
let room: Room;

function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { cwd: dir, stdio: "pipe" });
}

function authority(name: string): void {
  openssl(
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.crt`,
  );
}

function certificate(name: string, subject: string, names: string, by = "ca"): void {
  openssl(
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    `/CN=${subject}`,
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.csr`,
  );
  writeFileSync(join(dir, `${name}.ext`), names === "" ? "" : `subjectAltName=${names}\n`);
  openssl(
    "x509",
    "-req",
    "-in",
    `${name}.csr`,
    "-CA",
    `${by}.crt`,
    "-CAkey",
    `${by}.key`,
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    `${name}.ext`,
    "-out",
    `${name}.crt`,
  );
  chmodSync(join(dir, `${name}.key`), 0o600);
}

const at = (name: string): string => join(dir, name);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-tls-"));
  chmodSync(dir, 0o755);
  authority("ca");
  authority("stranger");
  certificate("server", "localhost", "DNS:localhost");
  certificate("agent", "certified", "");
  certificate("other", "certified", "", "stranger");
  writeFileSync(
    at("hba"),
    "hostssl all certified all cert\nhost all all all scram-sha-256\nlocal all all trust\n",
  );
  const { uid, gid } = someUser();
  copyFileSync(at("server.key"), at("own.key"));
  chmodSync(at("own.key"), 0o600);
  if (uid !== undefined) chownSync(at("own.key"), uid, gid ?? uid);
  server = await startServer({
    settings: {
      ssl: "on",
      ssl_cert_file: at("server.crt"),
      ssl_key_file: at("own.key"),
      ssl_ca_file: at("ca.crt"),
      hba_file: at("hba"),
    },
  });
  room = await makeRoom(server.url());
  await room.database.query("CREATE ROLE certified LOGIN");
  await room.database.query(`GRANT ${AGENT.name} TO certified`);
}, 120_000);
afterAll(async () => {
  await room.remove();
  await server.remove();
  rmSync(dir, { recursive: true, force: true });
});

let clones = 0;

/** What opening says, as code and sentence. */
async function opening(
  options: Readonly<Record<string, string>>,
  {
    host = "localhost",
    base = room.agent,
    env = {},
  }: {
    readonly host?: string;
    readonly base?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<string> {
  const query = Object.entries(options).map(
    ([name, value]) => `&${name}=${encodeURIComponent(value)}`,
  );
  const url = `${base.replace("127.0.0.1", host)}${query.join("")}`;
  clones += 1;
  const clone = { dir: at(`clone${clones}`), readOnly: false, projects: async () => [] };
  const opened = await openPostgres({ url, env: { HOME: dir, ...env }, fold: tallyFold, clone });
  if (opened.kind === "refused") return `${opened.code}: ${opened.message} ${opened.fix}`;
  const [row] = await opened.database.query(
    "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
  );
  await opened.journal.close();
  return row?.["ssl"] === true ? "encrypted" : "plain";
}

describe("whom this side trusts", () => {
  test("verify-full: the right authority and the right name, and nothing else", async () => {
    const trusted = { sslmode: "verify-full", sslrootcert: at("ca.crt") };
    expect(await opening(trusted)).toBe("encrypted");
    expect(
      await opening({}, { env: { PGSSLMODE: "verify-full", PGSSLROOTCERT: at("ca.crt") } }),
    ).toBe("encrypted");
    expect(await opening({ ...trusted, sslrootcert: at("stranger.crt") })).toMatch(
      /^store-tls: .*not one to trust.*sslrootcert/,
    );
    // The certificate is for localhost, which this address is: a name is not an address.
    expect(await opening(trusted, { host: "127.0.0.1" })).toMatch(
      /^store-tls: .*127\.0\.0\.1.*by a name that stands in its certificate/,
    );
    expect(await opening({ ...trusted, sslrootcert: "system" })).toMatch(/^store-tls: /);
  });

  test("verify-ca: whatever it is called; require: encrypted, and verified once there is an authority", async () => {
    const trusted = { sslrootcert: at("ca.crt") };
    const address = { host: "127.0.0.1" };
    expect(await opening({ ...trusted, sslmode: "verify-ca" }, address)).toBe("encrypted");
    expect(
      await opening({ sslmode: "verify-ca", sslrootcert: at("stranger.crt") }, address),
    ).toMatch(/^store-tls: /);
    expect(await opening({ sslmode: "require" }, address)).toBe("encrypted");
    expect(await opening({ sslmode: "require", sslrootcert: at("stranger.crt") }, address)).toMatch(
      /^store-tls: /,
    );
    expect(await opening({ sslmode: "disable" }, address)).toBe("plain");
    expect(await opening({}, address)).toBe("encrypted");
  });

  test("files that are not there, that are none, that say nothing", async () => {
    const full = { sslmode: "verify-full" };
    expect(await opening(full)).toMatch(/^store-tls: .*no root certificate/);
    expect(await opening({ ...full, sslrootcert: at("nothing") })).toMatch(
      /^store-tls: .*nothing is not there/,
    );
    expect(await opening({ ...full, sslrootcert: dir })).toMatch(/^store-tls: .*no file/);
    expect(await opening({ ...full, sslrootcert: at("hba") })).toMatch(/^store-tls: /);
    expect(await opening({ sslmode: "verify-all" })).toMatch(/^store-address: /);
    expect(await opening({ ssl_min_protocol_version: "SSLv3" })).toMatch(/^store-tls: /);
    expect(await opening({ sslmode: "require", ssl_min_protocol_version: "TLSv1.3" })).toBe(
      "encrypted",
    );
  });

  test("a server that does not encrypt", async () => {
    const base = `${serverUrl()}?schema=nothing`;
    for (const sslmode of ["require", "verify-ca", "verify-full"])
      expect(await opening({ sslmode, sslrootcert: at("ca.crt") }, { base })).toMatch(
        /^store-tls: .*does not encrypt/,
      );
  });
});

describe("what this side shows", () => {
  const certified = (): string => room.agent.replace(/\/\/[^@]*@/, "//certified@");
  const trusted = (): Readonly<Record<string, string>> => ({
    sslmode: "verify-full",
    sslrootcert: at("ca.crt"),
  });

  test("a certificate in place of a password, of the authority that the server trusts", async () => {
    const base = certified();
    const shown = { ...trusted(), sslcert: at("agent.crt"), sslkey: at("agent.key") };
    expect(await opening(shown, { base })).toBe("encrypted");
    expect(await opening(trusted(), { base })).toMatch(/^store-password: /);
    const stranger = { ...shown, sslcert: at("other.crt"), sslkey: at("other.key") };
    expect(await opening(stranger, { base })).toMatch(
      /^store-tls: .*does not accept what this side shows/,
    );
  });

  test("a key that is missing, that others can read, that belongs to another", async () => {
    const base = certified();
    const shown = { ...trusted(), sslcert: at("agent.crt") };
    expect(await opening(shown, { base })).toMatch(/^store-tls: There is no key/);
    copyFileSync(at("agent.key"), at("open.key"));
    chmodSync(at("open.key"), 0o644);
    expect(await opening({ ...shown, sslkey: at("open.key") }, { base })).toMatch(
      /^store-tls: .*chmod 600/,
    );
    expect(await opening({ ...shown, sslkey: at("other.key") }, { base })).toMatch(/^store-tls: /);
  });
});
