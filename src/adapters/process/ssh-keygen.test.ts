import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isForReleases, isValidAt, namesOf, readSigners } from "../../core/values/signers.ts";
import { authenticator } from "../../../test/e2e/authenticator.ts";
import { createSignatures } from "./ssh-keygen.ts";

const home = mkdtempSync(join(tmpdir(), "holdpoint-keys-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const AT = "2030-06-01T10:00:00.000Z";

function makeKey(name: string, phrase: string = ""): string {
  const file = join(home, ".ssh", name);
  execFileSync("mkdir", ["-p", join(home, ".ssh")]);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-C", name, "-f", file]);
  return file;
}

function lineOf(file: string, names: string, options: string = ""): string {
  const [type, key] = readFileSync(`${file}.pub`, "utf8").split(" ");
  return `${names} namespaces="release@holdpoint"${options} ${type} ${key}\n`;
}

describe("without ssh-keygen", () => {
  const none = createSignatures({ places: [], home });

  test("nothing is signed and nothing is verified, and it says what to install", async () => {
    const file = makeKey("none");
    const signed = { text: "t", by: "ada", signers: lineOf(file, "ada"), revoked: "", at: AT };
    const own = createSignatures({ home });
    const made = await own.sign("t", file);
    const signature = made.kind === "signed" ? made.signature : "";
    expect(await own.verify({ ...signed, signature })).toMatchObject({ kind: "good" });
    const missing = { kind: "problem", code: "ssh-keygen-missing" };
    expect(await none.verify({ ...signed, signature })).toMatchObject(missing);
    expect(await none.sign("t", file)).toMatchObject(missing);
    expect(await none.make("new", { hardware: false })).toMatchObject(missing);
    expect((await none.keys()).map(({ file: name }) => name)).toContain(file);
  });
});

describe("signatures", () => {
  const own = createSignatures({ home });

  test("whose key it is, until when, and that it was not revoked, is told apart", async () => {
    const [ada, bob] = [makeKey("ada"), makeKey("bob")];
    const made = await own.sign("what was shown", ada);
    const signature = made.kind === "signed" ? made.signature : "";
    const ask = async (change: object): Promise<unknown> => {
      const given = {
        text: "what was shown",
        signature,
        by: "ada@x",
        revoked: "",
        at: AT,
        signers: lineOf(ada, "ada@x"),
      };
      const told = await own.verify({ ...given, ...change });
      return told.kind === "good" ? "good" : told.code;
    };
    expect(await ask({})).toBe("good");
    expect(await ask({ text: "what was Shown" })).toBe("signature-bad");
    expect(await ask({ signature: "" })).toBe("signature-bad");
    expect(await ask({ signature: signature.replace("U1NI", "U1NJ") })).toBe("signature-bad");
    expect(await ask({ by: "bob@x" })).toBe("signature-bad");
    expect(await ask({ by: "-Oprint" })).not.toBe("good");
    expect(await ask({ by: "" })).toBe("signer-unknown");
    expect(await ask({ signers: "" })).toBe("signer-unknown");
    expect(await ask({ signers: lineOf(bob, "ada@x") })).toBe("signer-unknown");
    expect(await ask({ signers: `${lineOf(ada, "ada@x")}garbage\n` })).toBe("signers-broken");
    const other = lineOf(ada, "ada@x").replace("release@holdpoint", "git");
    expect(await ask({ signers: other })).toBe("signature-bad");
    const [type, key] = readFileSync(`${ada}.pub`, "utf8").split(" ");
    expect(await ask({ revoked: `${type} ${key}\n` })).toBe("key-revoked");
    expect(await ask({ revoked: `# none\n${readFileSync(`${bob}.pub`, "utf8")}` })).toBe("good");
    for (const revoked of ["SSHKRL\n\u0000\u0000", "sha256:abc\n", `${key}\n`, "ada@x\n"])
      expect(await ask({ revoked })).toBe("revoked-broken");
    const until = lineOf(ada, "ada@x", ',valid-before="20300601100000Z"');
    expect(await ask({ signers: until })).toBe("key-expired");
    expect(await ask({ signers: until, at: "2030-06-01T09:59:59.000Z" })).toBe("good");
  });

  test("a device counts as one where it was touched", async () => {
    const device = authenticator();
    const ask = async (touched: boolean): Promise<unknown> => {
      const signature = device.signs("what was shown", { touched });
      const signers = `ada@x ${device.key}\n`;
      return await own.verify({
        text: "what was shown",
        signature,
        by: "ada@x",
        signers,
        revoked: "",
        at: AT,
      });
    };
    expect(await ask(true)).toMatchObject({ kind: "good", hardware: true });
    expect(await ask(false)).toMatchObject({ kind: "good", hardware: false });
  });

  test("a key with a passphrase is not open, one without is", async () => {
    makeKey("locked", "a long passphrase");
    const keys = await own.keys();
    const open = Object.fromEntries(keys.map(({ comment, open: is }) => [comment, is]));
    expect(open).toMatchObject({ ada: true, locked: false });
  });
});

describe("allowed_signers", () => {
  const KEY = `ssh-ed25519 ${"A".repeat(68)}`;

  test("names, options and comments are read as OpenSSH writes them", () => {
    const text = `# people\n\nada@x,bob@x ${KEY} a comment\n"eve@x" namespaces="a,b",valid-after="20200101" ${KEY}\r\n`;
    const { signers, problems } = readSigners(text);
    expect(problems).toEqual([]);
    expect(signers.map((one) => namesOf(one))).toEqual([["ada@x", "bob@x"], ["eve@x"]]);
    expect(signers[1]?.options).toEqual({ namespaces: "a,b", "valid-after": "20200101" });
    expect(signers.map(({ line }) => line)).toEqual([3, 4]);
  });

  test.each(["ada@x", `ada@x ${"x".repeat(100_000)}`, "ada@x ssh-ed25519 !!!", "\u0000", KEY])(
    "a broken line is named: %.40j",
    (line) => {
      expect(readSigners(`ada@x ${KEY}\n${line}\n`).problems).toEqual([
        { line: 2, message: "is no name followed by a key" },
      ]);
    },
  );

  test("an authority is no signer, and says by its line what it is for", () => {
    const of = (options: string): readonly boolean[] => {
      const { signers, authorities, problems } = readSigners(`*@x ${options} ${KEY}\n`);
      expect({ signers, problems }).toEqual({ signers: [], problems: [] });
      return authorities.map(isForReleases);
    };
    for (const options of [
      "cert-authority",
      'namespaces="git,release@holdpoint",cert-authority',
      'cert-authority,namespaces="*"',
      'CERT-AUTHORITY,valid-before="20300101"',
    ])
      expect(of(options)).toEqual([true]);
    expect(of('cert-authority,namespaces="git"')).toEqual([false]);
  });

  test("a pattern is nobody's name, and time is told to the second", () => {
    const [any] = readSigners(`*@x valid-before="20300101" ${KEY}\n`).signers;
    if (any === undefined) throw new Error("it is a line");
    expect(namesOf(any)).toEqual([]);
    expect(isValidAt(any, "2029-12-31T23:59:59.999Z")).toBe(true);
    expect(isValidAt(any, "2030-01-01T00:00:00.000Z")).toBe(false);
  });
});
