/** The fence under a policy that asks for signatures: put up, opened and taken down with a key, and in no other way. */
import { expect, test } from "vitest";
import { evilCommit, expectStopped, problemsOf, tryGit } from "../fence.ts";
import { forgerOf } from "../forged.ts";
import { codesOf, finish, NAME } from "../plugin.ts";
import { signedPlugin } from "../release.ts";

test("a word puts no fence up, opens none and takes none down; a signature does", () => {
  const { scratch, ada } = signedPlugin();
  const key = ["--sign", "--key", ada];
  const unsigned = scratch.hold("fence install");
  expect(codesOf(unsigned)).toEqual(["signature-missing"]);
  expect(JSON.stringify(unsigned.json)).toContain("holdpoint fence install --sign");
  expect(scratch.hold("fence status").json).toMatchObject({ ok: false, branches: [] });
  expect(scratch.hold(["fence", "install", ...key]).json).toMatchObject({ ok: true, up: true });
  const evil = evilCommit(scratch);
  const why = ["--reason", "a hotfix"];
  expect(codesOf(scratch.hold(["fence", "open", "main", evil, ...why]))).toEqual([
    "signature-missing",
  ]);
  expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
  expect(codesOf(scratch.hold(["fence", "uninstall", ...why]))).toEqual(["signature-missing"]);
  expect(scratch.hold(["answer", "repository", "open", ...key]).json).toMatchObject({ ok: true });
  expect(scratch.hold("audit --chain").json).toMatchObject({ ok: true, signatures: 2 });
  expect(tryGit(scratch, ["update-ref", "refs/heads/main", evil])).toMatchObject({ exit: 0 });
  expect(problemsOf(scratch)).toEqual([]);
});

test("a savepoint after a signed answer goes through, and the signature is looked at on the way", () => {
  const { scratch, ada } = signedPlugin();
  const key = ["--sign", "--key", ada];
  scratch.hold(["fence", "install", ...key]);
  scratch.hold(["reconcile", NAME, "--settings", "--reason", "the policy", ...key]);
  expect(scratch.hold(["answer", NAME, "1", ...key]).json).toMatchObject({ ok: true });
  const before = scratch.git("rev-parse", "main");
  expect(finish(scratch, "2", { outputs: { parameter_count: 3 } }).json).toMatchObject({
    pending: [],
  });
  expect(scratch.git("rev-parse", "main~1")).toBe(before);
  expect(problemsOf(scratch)).toEqual([]);
});

test("an opening that somebody wrote into the journal opens nothing, and holds up no other move", () => {
  const { scratch, ada } = signedPlugin();
  const key = ["--sign", "--key", ada];
  scratch.hold(["fence", "install", ...key]);
  const [evil, honest] = [evilCommit(scratch), evilCommit(scratch, "main", "a hotfix")];
  scratch.hold(["fence", "open", "main", evil, "--reason", "x"]);
  const forger = forgerOf(scratch, "repository");
  const [asked] = forger
    .records()
    .flatMap((one) => (one["body"] as { events: { type: string; decision: string }[] }).events)
    .filter((one) => one.type === "decision.asked");
  const by = "person:root";
  const settled = {
    type: "decision.settled",
    decision: asked?.decision ?? "",
    status: "answered",
    by,
  };
  forger.append(
    {
      ...(forger.records().at(-1)?.["body"] as object),
      command: "decision.answer",
      actor: by,
      events: [{ ...settled, option: "open", text: "" }],
      used: {},
    },
    new Date().toISOString(),
  );
  const missing = /person:root released "open-fence" without the signature/;
  expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]), missing);
  expect(problemsOf(scratch)).toContain("fence-journal");
  scratch.hold(["fence", "open", "main", honest, "--reason", "y", ...key]);
  expect(tryGit(scratch, ["update-ref", "refs/heads/main", honest])).toMatchObject({ exit: 0 });
});

test("where two people are asked, the first waits for the second, also with a fence", () => {
  const { scratch, ada, bob } = signedPlugin({ people: 2 });
  const install = (key: string): boolean =>
    scratch.hold(["fence", "install", "--sign", "--key", key]).json.ok === true &&
    scratch.hold("fence status").json.ok === true;
  expect(install(ada)).toBe(false);
  expect(scratch.hold("audit --chain").json).toMatchObject({ ok: true, signatures: 1 });
  expect(install(bob)).toBe(true);
  expect(scratch.hold("audit --chain").json).toMatchObject({ ok: true, signatures: 2 });
  const evil = evilCommit(scratch);
  expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
});
