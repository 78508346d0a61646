/**
 * Properties of a journal that proves itself, over one that real commands made: whatever is done to its bytes, verify
 * or replay names it. What no reading of the journal alone can see is said where it is met.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRefusals } from "../src/adapters/store/refusals.ts";
import { createShown } from "../src/adapters/store/shown.ts";
import { openEmbeddedJournal } from "../src/adapters/store/embedded/embedded.ts";
import { encodeLine, seal } from "../src/adapters/store/embedded/line.ts";
import { compose } from "../src/compose/compose.ts";
import type { Event } from "../src/core/state/events.ts";
import { isJsonObject, parseJson, showJson, toJson } from "../src/core/values/json.ts";
import type { JsonObject } from "../src/core/values/json.ts";
import { workflowFold } from "../src/engine/parts.ts";
import { prove } from "../src/engine/prove/prove.ts";
import type { Proof } from "../src/engine/prove/prove.ts";
import type { Family } from "../src/ports/family.ts";
import { pluginAt } from "./e2e/plugin.ts";

const STREAM = "plugin-workflow:TapeDelay";
let dir = "";
let family: Family | undefined;
let journal = "";
let snapshot = "";
let whole: Buffer;
let cache: Buffer;

beforeAll(async () => {
  // After stage 2: orders, reports, commits, answers and findings are in it.
  const { top, env } = pluginAt("p3");
  dir = mkdtempSync(join(tmpdir(), "holdpoint-forged-"));
  cpSync(join(top, ".git/holdpoint"), dir, { recursive: true });
  const composed = await compose({ cwd: top, readOnly: true, env });
  if (composed.kind === "failed") throw new Error(composed.message);
  family = await composed.parts.families.get("plugin-workflow");
  const file = readdirSync(join(dir, "journals")).find((name) => name.endsWith(".jsonl")) ?? "";
  journal = join(dir, "journals", file);
  snapshot = join(dir, "snapshots", file.replace(/l$/, ""));
  whole = readFileSync(journal);
  cache = readFileSync(snapshot);
}, 120_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const sha256 = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex");

/** The journal alone, or with the files that were shown. */
async function proveNow(options: { readonly near?: boolean } = {}): Promise<Proof> {
  const opened = await openEmbeddedJournal({ dir, fold: workflowFold, readOnly: true });
  if (opened.kind === "refused") throw new Error(opened.message);
  const away = join(dir, "nowhere");
  const shown = createShown(options.near === true ? join(dir, "shown") : away);
  const refusals = createRefusals(away);
  const parts = { journal: opened.journal, sha256, shown, refusals };
  const proof = await prove(parts, STREAM, family);
  await opened.journal.close();
  return proof;
}

function isSound({ chain, forged }: Proof): boolean {
  return chain.damage === undefined && forged.length === 0;
}

function putBack(): void {
  writeFileSync(journal, whole);
  mkdirSync(join(dir, "snapshots"), { recursive: true });
  writeFileSync(snapshot, cache);
}

function linesOf(): readonly Buffer[] {
  const text = whole
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  return text.map((line) => Buffer.from(`\n${line}\n`));
}

describe("a journal that real commands made", () => {
  test("is sound", async () => {
    putBack();
    expect(await proveNow({ near: true })).toMatchObject({ forged: [] });
    expect(isSound(await proveNow({ near: true }))).toBe(true);
  });

  test("[S5] any changed byte is named; the newlines between records carry nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          putBack();
          const bytes = Buffer.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ by;
          fc.pre(whole[at] !== 0x0a);
          writeFileSync(journal, bytes);
          expect(isSound(await proveNow())).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("[S5] any tail that is cut off is named while the snapshot or the shown files are there", async () => {
    const lines = linesOf();
    for (let count = 1; count < lines.length; count += 1) {
      writeFileSync(journal, Buffer.concat(lines.slice(0, count)));
      writeFileSync(snapshot, cache);
      expect(isSound(await proveNow())).toBe(false);
      rmSync(snapshot);
      expect(isSound(await proveNow({ near: true }))).toBe(false);
      // With both gone, and no git to ask, nobody knows: a shorter journal is a journal.
      expect(isSound(await proveNow())).toBe(true);
    }
  });

  test("[S5] any change of the snapshot is named, or it is no snapshot any more", async () => {
    const text = cache.toString("utf8").replace(/,"hash":"[0-9a-f]{64}"\}$/, "}");
    const value = parseJson(text);
    const state = isJsonObject(value) && isJsonObject(value["state"]) ? value["state"] : {};
    const key = fc.constantFrom(...Object.keys(state));
    await fc.assert(
      fc.asyncProperty(key, fc.jsonValue(), async (name, other) => {
        putBack();
        const now = { ...state, [name]: toJson(other) };
        fc.pre(JSON.stringify(now) !== JSON.stringify(state));
        writeFileSync(
          snapshot,
          seal(JSON.stringify({ ...(isJsonObject(value) ? value : {}), state: now })),
        );
        expect((await proveNow()).chain.damage?.code).toBe("snapshot-false");
      }),
      { numRuns: 40 },
    );
  });
});

const word = fc.constantFrom(
  ".",
  "s2",
  "s3",
  "working",
  "validate",
  "finish-3",
  "D-1",
  "D-2",
  "D-9",
  "W-1",
  "W-2",
  "W-9",
  "E-1",
  "E-9",
  "tests",
  "continue",
  "person:root",
  "engine",
  "constructor",
  "plugin",
  "phase",
  "success",
  "commit",
);
const data = fc.constant({});

/** Events that move, settle, vouch, seal, want or set something. What only tells (notes, looks) may be anybody's. */
const forgedEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    type: fc.constant("unit.moved" as const),
    unit: word,
    move: word,
    from: word,
    to: word,
    back: fc.constant([]),
    reason: word,
  }),
  fc.record({ type: fc.constant("unit.opened" as const), unit: word, kind: word, at: word, data }),
  fc.record({ type: fc.constant("unit.closed" as const), unit: word }),
  fc.record({
    type: fc.constant("decision.settled" as const),
    decision: word,
    status: fc.constant("answered" as const),
    option: word,
    text: word,
    by: word,
  }),
  fc.record({
    type: fc.constant("dispatch.ended" as const),
    dispatch: word,
    outcome: word,
    claim: data,
    notes: fc.constant([]),
  }),
  fc.record({
    type: fc.constant("finding.recorded" as const),
    unit: word,
    kind: word,
    by: word,
    value: word,
    bound: data,
  }),
  fc.record({
    type: fc.constant("effect.settled" as const),
    effect: word,
    status: fc.constantFrom("done" as const, "failed" as const),
    detail: data,
  }),
  fc.record({
    type: fc.constant("artifact.sealed" as const),
    artifact: word,
    digest: word,
    by: word,
    why: word,
  }),
  fc.record({
    type: fc.constant("vars.changed" as const),
    vars: fc.constant({ express: true, version: "9.9.9" }),
  }),
);

test("any such event, appended with a correct hash in any command of any person or agent, is named", async () => {
  const command = fc.constantFrom(
    "unit.move",
    "decision.answer",
    "dispatch.report",
    "finding.record",
    "note.add",
    "unit.open",
    "vars.set",
    "gate.waive",
  );
  const actor = fc.constantFrom("person:root", "agent:claude");
  await fc.assert(
    fc.asyncProperty(
      command,
      actor,
      fc.array(forgedEvent, { minLength: 1, maxLength: 3 }),
      async (type, by, events) => {
        putBack();
        const last = parseJson(linesOf().at(-1)?.toString("utf8").trim() ?? "");
        const head = isJsonObject(last) ? last : {};
        const body: JsonObject = {
          command: type,
          actor: by,
          session: "human:root",
          events: toJson(events),
          used: {},
        };
        const at = showJson(head["at"]);
        const line = encodeLine(
          { seq: Number(head["seq"]), hash: showJson(head["hash"]) },
          { id: "forged", at, body },
        );
        writeFileSync(journal, Buffer.concat([whole, line.bytes]));
        expect(isSound(await proveNow())).toBe(false);
      },
    ),
    {
      numRuns: 300,
      examples: [
        [
          "unit.move",
          "person:root",
          [{ type: "artifact.sealed", artifact: ".", digest: ".", by: "person:root", why: "." }],
        ],
      ],
    },
  );
});
