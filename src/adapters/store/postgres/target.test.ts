import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { passwordFor, readTarget } from "./target.ts";

const home = mkdtempSync(join(tmpdir(), "holdpoint-libpq-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const HOST = { host: "db.example.org", port: 5433 };

describe("where the store is", () => {
  test("the URL says it all, and the password is told nobody", () => {
    const url = "postgresql://ada:p%40ss:w@db.example.org:5433/team?sslmode=require&schema=synths";
    const target = readTarget(url, { PGUSER: "eve", PGSSLMODE: "disable" });
    expect(target).toMatchObject({
      hosts: [HOST],
      user: "ada",
      database: "team",
      schema: "synths",
    });
    expect(target.option("sslmode")).toBe("require");
    expect(target.where).toBe("db.example.org:5433/team (schema synths)");
    expect(passwordFor(target, HOST, {})).toBe("p@ss:w");
  });

  test("what the URL does not say, a service says, and then the environment", () => {
    writeFileSync(
      join(home, ".pg_service.conf"),
      "[other]\nhost=no\n\n# ours\n[team]\nhost = db.example.org\nport=5433\nuser=bob\n",
    );
    const env = { HOME: home, PGSERVICE: "team", PGUSER: "eve", PGDATABASE: "work" };
    const target = readTarget("postgresql://", env);
    expect(target).toMatchObject({ hosts: [HOST], user: "bob", database: "work" });
    expect(() => readTarget("postgresql://?service=none", env)).toThrow(/no service "none"/);
  });

  test("several hosts, ports and addresses in brackets", () => {
    const { hosts } = readTarget("postgresql://a,b:6000,[::1]:7000/x", {});
    expect(hosts).toEqual([
      { host: "a", port: 5432 },
      { host: "b", port: 6000 },
      { host: "::1", port: 7000 },
    ]);
  });

  test("a password file counts as libpq reads it, and not when others can read it", () => {
    const file = join(home, ".pgpass");
    writeFileSync(file, "# ours\nother:*:*:*:no\ndb.example.org:*:team:ada:a\\:b\\\\c\n", {
      mode: 0o600,
    });
    const env = { HOME: home };
    const target = readTarget("postgresql://ada@db.example.org:5433/team", env);
    expect(passwordFor(target, HOST, env)).toBe("a:b\\c");
    chmodSync(file, 0o644);
    expect(passwordFor(target, HOST, env)).toBeUndefined();
  });

  test.each([
    "",
    "mysql://x",
    "postgresql://h:99999/x",
    "postgresql://h/x?sslmod=require",
    "postgresql://h/x?schema=A;drop",
    "postgresql://a,b/x?port=1,2,3",
    "postgresql://h/%zz",
    "postgresql://h\n/x y",
  ])("%j is refused, with what to write", (url) => {
    const problem = expect.objectContaining({
      code: "store-address",
      fix: expect.stringMatching(/\S/),
    });
    expect(() => readTarget(url, {})).toThrow(expect.objectContaining({ problem }));
  });
});
