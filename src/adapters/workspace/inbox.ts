/**
 *   .holdpoint/inbox/<id>.json           left by somebody who may not write the store
 *   .holdpoint/inbox/<id>.<pid>.json     being taken in by that process; once it is dead, it is taken in again
 *   .holdpoint/inbox/<id>.answer.json    what became of it
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ENTRY_BYTES_MAX, INBOX } from "../../ports/inbox.ts";
import type { Inbox, Left } from "../../ports/inbox.ts";
import { errorCode } from "../store/durable.ts";
import { FileRefused, isLink, notAFile } from "./file-problem.ts";
import { kindOf, lstatIfThere } from "./path.ts";

const ENTRIES_MAX = 100;
const ANSWERS_MAX = 100;
const ODD_MAX = 5;

const ENTRY = /^([\w-]{8,64})(?:\.(\d{1,10}))?\.json$/;
const ANSWER = /^[\w-]{8,64}\.answer\.json$/;

export function createInbox(root: string): Inbox {
  const dir = join(root, INBOX);
  const file = (id: string, of = ""): string => join(dir, `${id}${of}.json`);
  return {
    leave: (id, text) => {
      makePlace(root);
      if (entriesIn(dir).ids.length >= ENTRIES_MAX) return "full";
      writeWhole(file(id), text);
      return "left";
    },
    list: () => entriesIn(dir),
    take: (id) => takeOne(dir, id),
    answer: (id, text) => {
      writeWhole(file(id, ".answer"), text);
      rmSync(file(id, `.${process.pid}`), { force: true });
      pruneAnswers(dir);
    },
  };
}

function makePlace(root: string): void {
  const parts = INBOX.split("/");
  for (const path of parts.map((_, count) => parts.slice(0, count + 1).join("/"))) {
    const stats = lstatIfThere(join(root, path));
    if (stats === undefined) mkdirSync(join(root, path), { recursive: true });
    else if (stats.isSymbolicLink()) throw new FileRefused(isLink(path));
    else if (!stats.isDirectory()) throw new FileRefused(notAFile(path, kindOf(stats)));
  }
}

function entriesIn(dir: string): ReturnType<Inbox["list"]> {
  // If a parent is a link, the directory belongs to somebody else.
  const ours = [join(dir, ".."), dir].every((one) => lstatIfThere(one)?.isDirectory() === true);
  if (!ours) return { ids: [], odd: [] };
  const [ids, odd] = [new Map<string, number>(), new Array<string>()];
  for (const name of readdirSync(dir).sort()) {
    const [, id, by] = ENTRY.exec(name) ?? [];
    if (ANSWER.test(name) || /^\.[\w-]+\.tmp$/.test(name)) continue;
    const stats = lstatSync(join(dir, name), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const fits = stats.isFile() && stats.nlink === 1 && stats.size <= ENTRY_BYTES_MAX;
    if (id === undefined || !fits) odd.push(name);
    else if (by === undefined || !isAlive(Number(by))) ids.set(id, stats.mtimeMs);
  }
  const sorted = [...ids].sort(([, a], [, b]) => a - b).map(([id]) => id);
  return { ids: sorted.slice(0, ENTRIES_MAX), odd: odd.slice(0, ODD_MAX) };
}

/** Only one process can win a rename. */
function takeOne(dir: string, id: string): Left {
  const taken = join(dir, `${id}.${process.pid}.json`);
  try {
    const waiting = readdirSync(dir).find((name) => {
      const [, of, by] = ENTRY.exec(name) ?? [];
      return of === id && (by === undefined || !isAlive(Number(by)));
    });
    if (waiting === undefined) return { kind: "gone" };
    renameSync(join(dir, waiting), taken);
    return readEntry(taken);
  } catch (error) {
    return errorCode(error) === "ENOENT"
      ? { kind: "gone" }
      : { kind: "odd", why: `it cannot be taken in (${errorCode(error) ?? "?"})` };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function readEntry(file: string): Left {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const descriptor = openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > ENTRY_BYTES_MAX)
      return { kind: "odd", why: "it is no file of an entry's size" };
    return { kind: "text", text: readFileSync(descriptor, "utf8") };
  } finally {
    closeSync(descriptor);
  }
}

/** A link in its place is replaced and not followed. */
function writeWhole(file: string, text: string): void {
  const temporary = join(file, "..", `.${Math.random().toString(36).slice(2)}.tmp`);
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  renameSync(temporary, file);
}

function pruneAnswers(dir: string): void {
  const answers = readdirSync(dir)
    .filter((name) => ANSWER.test(name))
    .map((name) => join(dir, name))
    .map((file) => ({ file, ms: lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.ms - a.ms);
  for (const { file } of answers.slice(ANSWERS_MAX)) rmSync(file, { force: true });
}
