/** The bare script of the step's bench: the same bytes, made as durable in the plainest way. */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

export interface Bare {
  /** Remember what is there before a step of this plugin. */
  readonly note: (plugin: string) => void;
  /** Write again, elsewhere, what the step has written, and say how long that took. */
  readonly replay: (plugin: string) => Replayed;
}

export interface Replayed {
  readonly ms: number;
  /** Durable writes: the append, each new blob, each changed state file. */
  readonly writes: number;
  readonly records: number;
}

/** `out` lies outside `cwd`: the copies are no part of what the measured steps look at. */
export function openBare(cwd: string, out: string): Bare {
  const store = join(cwd, ".holdpoint");
  for (const name of ["blobs", "journals", "plugins", "shown", "beats"])
    mkdirSync(join(out, name), { recursive: true });
  let before: Seen = { journal: Buffer.alloc(0), blobs: new Set(), views: new Map() };
  return {
    note: (plugin) => {
      before = see(cwd, store, plugin);
    },
    replay: (plugin) => {
      const after = see(cwd, store, plugin);
      const line = after.journal.subarray(before.journal.length);
      const blobs = [...after.blobs]
        .filter((one) => !before.blobs.has(one))
        .map((one) => ({
          path: join("blobs", one),
          bytes: readFileSync(join(store, "blobs", one)),
        }));
      const views = [...after.views]
        .filter(([path, bytes]) => before.views.get(path)?.equals(bytes) !== true)
        .map(([path, bytes]) => ({ path, bytes }));
      // The two small files that are replaced without a sync, as every step does.
      const notes = ["shown", "beats"].map((name) => join(out, name, "x.json"));
      const started = performance.now();
      append(join(out, "journals", plugin), line);
      for (const { path, bytes } of [...blobs, ...views]) replace(join(out, path), bytes);
      for (const path of notes) {
        writeFileSync(`${path}.tmp`, "{}");
        renameSync(`${path}.tmp`, path);
      }
      const ms = performance.now() - started;
      const records = line
        .toString("utf8")
        .split("\n")
        .filter((one) => one !== "").length;
      return { ms, writes: 1 + blobs.length + views.length, records };
    },
  };
}

interface Seen {
  readonly journal: Buffer;
  readonly blobs: ReadonlySet<string>;
  readonly views: ReadonlyMap<string, Buffer>;
}

function see(cwd: string, store: string, plugin: string): Seen {
  const kept = join(store, "blobs");
  const blobs = existsSync(kept) ? readdirSync(kept, { recursive: true, withFileTypes: true }) : [];
  const paths = ["PLUGINS.md", `plugins/${plugin}/.continue-here.md`];
  return {
    journal: readIfThere(journalOf(store, plugin)) ?? Buffer.alloc(0),
    blobs: new Set(
      blobs.flatMap((one) => (one.isFile() ? [`${one.name.slice(0, 2)}/${one.name}`] : [])),
    ),
    views: new Map(
      paths.flatMap((path) => {
        const bytes = readIfThere(join(cwd, path));
        return bytes === undefined ? [] : [[path, bytes] as const];
      }),
    ),
  };
}

function journalOf(store: string, plugin: string): string {
  const name = `plugin-workflow:${plugin}`.replaceAll(
    /[^a-z0-9_-]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return join(store, "journals", `${name}.jsonl`);
}

function readIfThere(path: string): Buffer | undefined {
  return existsSync(path) ? readFileSync(path) : undefined;
}

function append(path: string, bytes: Buffer): void {
  const isNew = !existsSync(path);
  const descriptor = openSync(path, "a");
  writeSync(descriptor, bytes);
  fdatasyncSync(descriptor);
  closeSync(descriptor);
  if (isNew) sync(dirname(path));
}

function replace(path: string, bytes: Buffer): void {
  const directory = dirname(path);
  if (mkdirSync(directory, { recursive: true }) !== undefined) sync(dirname(directory));
  const descriptor = openSync(`${path}.tmp`, "wx");
  writeSync(descriptor, bytes);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(`${path}.tmp`, path);
  sync(directory);
}

function sync(directory: string): void {
  const descriptor = openSync(directory, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
