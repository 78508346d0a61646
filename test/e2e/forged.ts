/** A forger at work on a journal: lines, snapshots and cuts, each with a hash that fits. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson, showJson } from "../../src/core/values/json.ts";
import type { JsonObject } from "../../src/core/values/json.ts";
import { tamper } from "./cli.ts";
import type { Scratch } from "./cli.ts";

export type Place = "snapshots" | "shown" | "refusals";

export interface Forger {
  readonly journal: string;
  readonly records: () => readonly JsonObject[];
  /** Append a record that follows the last one, with a correct hash. */
  readonly append: (body: JsonObject, at?: string) => void;
  /** Change the body of one record, and hash it and all behind it anew. */
  readonly rewrite: (seq: number, change: (record: JsonObject) => JsonObject) => void;
  /** Leave the first records only. */
  readonly cut: (count: number) => void;
  readonly snapshot: string;
  readonly changeSnapshot: (change: (value: JsonObject) => JsonObject) => void;
  /** Take away what remembers later records beside the journal. */
  readonly forget: (...places: readonly Place[]) => void;
}

const HASH = /,"hash":"[0-9a-f]{64}"\}$/;

export function sealed(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  return `${text.slice(0, -1)},"hash":"${hash}"}`;
}

export function forgerOf(scratch: Scratch, name = ""): Forger {
  tamper(scratch);
  const store = join(scratch.top, ".git/holdpoint");
  const pick = (place: string): string => {
    const there = existsSync(join(store, place)) ? readdirSync(join(store, place)) : [];
    const found = there.find(
      (file) => /\.jsonl?$/.test(file) && file !== "_all.json" && file.includes(name),
    );
    return join(store, place, found ?? "none");
  };
  const journal = pick("journals");
  const records = (): readonly JsonObject[] =>
    readFileSync(journal, "utf8")
      .split("\n")
      .map((line) => parseJson(line))
      .filter(isJsonObject);
  const write = (list: readonly JsonObject[]): void => {
    let prev = "0".repeat(64);
    const lines = list.map((record) => {
      const line = sealed(JSON.stringify({ ...record, prev, hash: undefined }));
      prev = HASH.exec(line)?.[0].slice(9, 73) ?? "";
      return `\n${line}\n`;
    });
    writeFileSync(journal, lines.join(""));
  };
  return {
    journal,
    records,
    append: (body, at) => {
      const last = records().at(-1) ?? {};
      const seq = Number(last["seq"]) + 1;
      const next = {
        ...last,
        seq,
        id: `forged-${seq}`,
        try: "x",
        at: at ?? last["at"] ?? "",
        body,
      };
      write([...records(), next]);
    },
    rewrite: (seq, change) =>
      write(records().map((one) => (one["seq"] === seq ? change(one) : one))),
    cut: (count) => write(records().slice(0, count)),
    snapshot: pick("snapshots"),
    changeSnapshot: (change) => {
      const path = pick("snapshots");
      const value = parseJson(readFileSync(path, "utf8").replace(HASH, "}"));
      if (!isJsonObject(value)) throw new Error(`${path} is no snapshot`);
      writeFileSync(path, sealed(JSON.stringify(change(value))));
    },
    forget: (...places) => {
      for (const place of places) rmSync(join(store, place), { recursive: true, force: true });
    },
  };
}

/** Appends a line that wants main to have an older tree, and gives the commit that it wants. */
export function forgedSavepoint(scratch: Scratch, stream: string, guards?: string): string {
  const forger = forgerOf(scratch, stream.split("-")[0]);
  const last = forger.records().at(-1)?.["body"];
  const base = scratch.git("rev-parse", "main");
  const tree = scratch.git("rev-parse", "main~1^{tree}");
  const savepoint = {
    ref: "refs/heads/main",
    base,
    tree,
    blobs: {},
    message: "x",
    author: { name: "Eve", email: "eve@example.org" },
    at: "",
    sign: false,
  };
  const wanted = {
    type: "effect.wanted",
    effect: "E-99",
    kind: "commit",
    args: { savepoint },
    unit: ".",
    asks: null,
    undo: null,
    by: { session: "s", process: "p" },
  };
  forger.append({
    command: "unit.move",
    actor: "agent:eve",
    session: "s",
    events: [wanted],
    used: {},
    guards: guards ?? (isJsonObject(last) ? (last["guards"] ?? null) : null),
  });
  const hash = showJson(forger.records().at(-1)?.["hash"]);
  const trailers = `Holdpoint-Journal: ${encodeURIComponent(stream)} x 9\nHoldpoint-Record: ${hash}`;
  return scratch.git("commit-tree", tree, "-p", "main", "-m", `x\n\n${trailers}`);
}
