/** What git can be made to show in place of the policy and the keys that the protected branch has. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { NO_CHECKS } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { forgerOf } from "../forged.ts";
import { NAME } from "../plugin.ts";
import { ADA, homeOf, isHeld, lineOf, makeKey, signedPlugin } from "../release.ts";

const CONFIG = "holdpoint.config.json";
const OPEN_CONFIG = JSON.stringify({ checks: NO_CHECKS, policy: { gates: {} } });

type Env = Readonly<Record<string, string>>;

/** Puts an object with other content where the one of that id lies, as git would find it. */
function putObject(directory: string, oid: string, text: string): void {
  const file = join(directory, oid.slice(0, 2), oid.slice(2));
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, deflateSync(`blob ${Buffer.byteLength(text)}\0${text}`));
  chmodSync(file, 0o444);
}

function objectOf(scratch: Scratch, path: string): string {
  return scratch.git("rev-parse", `main:${path}`);
}

function blob(scratch: Scratch, text: string): string {
  scratch.write("other", text);
  const oid = scratch.git("hash-object", "-w", "other");
  rmSync(join(scratch.top, "other"));
  return oid;
}

/** Each has git show another configuration; what it must be undone by, to see that nothing was released. */
const LIES: Readonly<Record<string, (scratch: Scratch) => Env>> = {
  "another object in its place": (scratch) => {
    putObject(join(scratch.top, ".git/objects"), objectOf(scratch, CONFIG), OPEN_CONFIG);
    return {};
  },
  "no object in its place": (scratch) => {
    const oid = objectOf(scratch, CONFIG);
    rmSync(join(scratch.top, ".git/objects", oid.slice(0, 2), oid.slice(2)));
    scratch.write(CONFIG, OPEN_CONFIG);
    return {};
  },
  "an alternate with another object": (scratch) => {
    const oid = objectOf(scratch, CONFIG);
    const other = join(homeOf(scratch), "others");
    putObject(other, oid, OPEN_CONFIG);
    scratch.write(".git/objects/info/alternates", `${other}\n`);
    rmSync(join(scratch.top, ".git/objects", oid.slice(0, 2), oid.slice(2)));
    return {};
  },
  "an object directory of its own": (scratch) => {
    const other = join(homeOf(scratch), "others");
    putObject(other, objectOf(scratch, CONFIG), OPEN_CONFIG);
    const alternates = join(scratch.top, ".git/objects");
    return { GIT_OBJECT_DIRECTORY: other, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates };
  },
  "a replacement": (scratch) => {
    scratch.git("replace", objectOf(scratch, CONFIG), blob(scratch, OPEN_CONFIG));
    return {};
  },
  "a replacement under another name": (scratch) => {
    const oid = objectOf(scratch, CONFIG);
    scratch.git("update-ref", `refs/other/${oid}`, blob(scratch, OPEN_CONFIG));
    return { GIT_REPLACE_REF_BASE: "refs/other/" };
  },
  "a graft": (scratch) => {
    scratch.write(".git/info/grafts", `${scratch.git("rev-parse", "main")}\n`);
    return {};
  },
  "a worktree elsewhere": (scratch) => {
    const other = join(homeOf(scratch), "elsewhere");
    mkdirSync(other);
    writeFileSync(join(other, CONFIG), OPEN_CONFIG);
    scratch.git("config", "core.worktree", other);
    return {};
  },
  "a worktree elsewhere by its environment": (scratch) => {
    scratch.write(CONFIG, OPEN_CONFIG);
    const index = join(homeOf(scratch), "index");
    return { GIT_WORK_TREE: homeOf(scratch), GIT_INDEX_FILE: index, GIT_PREFIX: "x/" };
  },
  "settings by its environment": (scratch) => {
    scratch.write(CONFIG, OPEN_CONFIG);
    const [GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0] = ["core.worktree", homeOf(scratch)];
    return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 };
  },
  "files that are assumed unchanged": (scratch) => {
    scratch.git("update-index", "--assume-unchanged", CONFIG);
    scratch.git("update-index", "--skip-worktree", "allowed_signers");
    scratch.write(CONFIG, OPEN_CONFIG);
    return {};
  },
  "a partial clone whose remote has another one": (scratch) => {
    const remote = join(homeOf(scratch), "remote");
    scratch.git("clone", "--bare", "-q", ".", remote);
    const oid = objectOf(scratch, CONFIG);
    putObject(join(remote, "objects"), oid, OPEN_CONFIG);
    scratch.git("config", "remote.far.url", remote);
    scratch.git("config", "remote.far.promisor", "true");
    scratch.git("config", "remote.far.partialCloneFilter", "blob:none");
    rmSync(join(scratch.top, ".git/objects", oid.slice(0, 2), oid.slice(2)));
    return {};
  },
};

describe("the policy of the protected branch counts behind", () => {
  test.each(Object.entries(LIES))("%s", (_, lie) => {
    const { scratch } = signedPlugin();
    const env = lie(scratch);
    const tried = scratch.hold(["answer", NAME, "1"], { env });
    expect(tried.json.ok, tried.stdout).not.toBe(true);
    const words = JSON.stringify(forgerOf(scratch, "plugin").records());
    expect(words).not.toMatch(/release\.given|decision\.settled/);
  });

  test("another object in the place of people's keys: no other key counts", () => {
    const { scratch, ada } = signedPlugin();
    const eve = makeKey(scratch, "eve");
    const lines = lineOf(ada, ADA) + lineOf(eve, ADA);
    putObject(join(scratch.top, ".git/objects"), objectOf(scratch, "allowed_signers"), lines);
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", eve]);
    expect(tried.json.ok, tried.stdout).not.toBe(true);
    expect(isHeld(scratch)).toBe(true);
  });
});
