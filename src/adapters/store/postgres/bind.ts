/**
 * A clone belongs to one store, and a store to one project. This is checked on first use. The clone then
 * remembers the store's id in `store.json` and accepts no other.
 */
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import { makeDirectory, readOwn, replaceOwn } from "../durable.ts";
import { StoreProblem } from "../../../ports/problem.ts";

export interface Bound {
  readonly id: string;
  readonly project: string;
}

export interface Clone {
  readonly dir: string;
  readonly readOnly: boolean;
  /** Names that the repository may have: a configured one, or its first commits. */
  readonly projects: () => Promise<readonly string[]>;
}

export function readBound(dir: string): Bound | undefined {
  const value = parseJson(readOwn(join(dir, FILE)));
  if (!isJsonObject(value)) return undefined;
  const { id, project } = value;
  return typeof id === "string" && ID.test(id) && typeof project === "string"
    ? { id, project }
    : undefined;
}

export async function bind({ dir, readOnly, projects }: Clone, store: Bound): Promise<void> {
  const before = readBound(dir);
  if (before?.id === store.id) return;
  if (before !== undefined)
    throw new StoreProblem({
      code: "store-another",
      message: `This clone has worked with another store (${before.id}) than the one that is named (${store.id})`,
      fix: `Name the store it has worked with. If that one is gone for good, remove ${join(dir, FILE)}.`,
    });
  const names = await projects();
  if (names.length === 0)
    throw new StoreProblem({
      code: "store-project-unknown",
      message:
        "It cannot be told whether the store is this project's: there is no first commit to know it by",
      fix: `Say which project it is, behind the address: ?project=${encodeURIComponent(store.project)}`,
    });
  if (!names.includes(store.project))
    throw new StoreProblem({
      code: "store-of-another-project",
      message: `The store belongs to the project ${store.project}, and this is ${names.join(", ")}`,
      fix: "Name the store of this project, or a schema of its own behind the address: ?schema=NAME",
    });
  if (readOnly) return;
  makeDirectory(dir);
  replaceOwn(join(dir, FILE), `${JSON.stringify(store)}\n`);
}

export function copiesIn(dir: string, { id }: Bound): string {
  return join(dir, "copies", id);
}

const FILE = "store.json";
const ID = /^[0-9a-f-]{36}$/;
