/** A journal that was rewritten, with all that remembers it beside it taken away: who else has seen what it said. */
import { readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, parseJson } from "../../src/core/values/json.ts";
import type { JsonObject } from "../../src/core/values/json.ts";
import type { Finding } from "./cli.ts";
import { forgerOf } from "./forged.ts";
import type { Forger } from "./forged.ts";
import * as team from "./team.ts";

function verified({ repo, id }: team.TeamSession): { exit: number; findings: readonly Finding[] } {
  const { json, exit } = repo.hold(["verify", "--all"]);
  const found = json.workflows?.find((one) => one.id === id);
  return { exit, findings: found?.findings ?? [] };
}

/** Another person in every record, nothing else: deciding could have written it so. */
function renamed(record: JsonObject): JsonObject {
  const text = JSON.stringify(record).replaceAll(/"person:[^"]*"/g, '"person:mallory"');
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : {};
}

function rewriteAll(forger: Forger): void {
  for (const { seq } of forger.records()) forger.rewrite(Number(seq), renamed);
}

describe("a session, which nobody commits for", () => {
  test("[TC-080] a tail that was cut off is named by its state files", () => {
    const session = team.sessionAt("coded");
    const forger = forgerOf(session.repo, session.id);
    forger.cut(forger.records().length - 3);
    forger.forget("snapshots", "shown", "refusals");
    const { exit, findings } = verified(session);
    expect(exit).toBe(2);
    expect(findings.map((one) => one.code)).toContain("state-mismatch");
  });

  test("records that were written anew are named by what was refused before", () => {
    const session = team.sessionAt("coded");
    expect(session.run("advance", ["release"]).exit).toBe(10);
    const forger = forgerOf(session.repo, session.id);
    rewriteAll(forger);
    forger.forget("snapshots", "shown");
    const { exit, findings } = verified(session);
    expect(exit).toBe(2);
    expect(findings[0]?.message).toMatch(
      /a command was refused for another record \d+ than the one/,
    );
    expect(session.repo.hold(["audit", session.id]).stdout).toContain("journal-truncated");
  });

  test("where nothing beside the journal remembers it, that is said", () => {
    const session = team.sessionAt("coded");
    const told = (): string =>
      verified(session)
        .findings.map((one) => `${one.code}: ${one.message}`)
        .join("\n");
    expect(told()).not.toContain("witness-missing");
    const forger = forgerOf(session.repo, session.id);
    rewriteAll(forger);
    forger.forget("snapshots", "shown", "refusals");
    expect(told()).toMatch(/witness-missing: nothing beside the journal remembers/);
    expect(session.repo.hold(["audit", session.id]).json).toMatchObject({
      doubts: [expect.stringContaining("nothing beside the journal remembers")],
    });
  });

  test("a journal that is gone, or no file any more, is named by every word for it, and nobody is told to begin", () => {
    const deeds: readonly ((path: string) => void)[] = [
      (path) => rmSync(path),
      (path) => {
        renameSync(path, `${path}.kept`);
        symlinkSync(`${path}.kept`, path);
      },
    ];
    for (const deed of deeds) {
      const session = team.sessionAt("coded");
      const short = session.id.replace(/^[^_]*_/, "");
      expect(session.repo.hold(["verify", short]).json).toMatchObject({
        workflows: [{ id: session.id, exit: 0 }],
      });
      const journals = join(session.repo.top, ".git/holdpoint/journals");
      for (const name of readdirSync(journals))
        if (name.includes(short)) deed(join(journals, name));
      rmSync(join(session.repo.top, session.path("status.json")));
      expect(verified(session).exit).toBe(2);
      expect(session.repo.hold(["audit", "--chain"]).json.ok).toBe(false);
      for (const name of [short, session.id])
        expect(session.repo.hold(["status", name]).json.refusals?.[0]?.message).toContain(
          "damaged",
        );
    }
  });
});
