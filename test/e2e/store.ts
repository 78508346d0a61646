/**
 * Where `npm run test:postgres` says so, each scratch repository has its truth in a database of its own. Beside it lies
 * which, and what the clone is called. A copy of the repository gets a copy of the database, and stands for the same clone.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binDirectory } from "../postgres/server.ts";

/** The address of a database that is set up as a store, for the administrator. */
const base = process.env["HOLDPOINT_E2E_POSTGRES"];

/** What the program needs to find the truth of the repository at `top`. */
export function storeEnv(top: string): Readonly<Record<string, string>> {
  if (base === undefined) return {};
  if (!existsSync(nameFile(top))) makeDatabase(top, TEMPLATE);
  const { database, place } = readNames(top);
  return {
    HOLDPOINT_STORE: addressOf(database),
    ...(place === "" ? {} : { HOLDPOINT_PLACE: place }),
  };
}

export function copyStore(from: string, to: string): void {
  if (base !== undefined && existsSync(nameFile(from))) makeDatabase(to, readNames(from).database);
}

/** What is tried on a copy of the repository is tried on a copy of its store, too: the one that is named may not change. */
export function onCopiedStore<T>(
  top: string,
  { HOLDPOINT_STORE: named }: Readonly<Record<string, string>>,
  act: (env: Readonly<Record<string, string>>) => T,
): T {
  if (named === undefined) return act({});
  if (base === undefined || named !== addressOf(readNames(top).database))
    throw new Error("a store that is not copied");
  makeDatabase(top, readNames(top).database);
  try {
    return act({ HOLDPOINT_STORE: addressOf(readNames(top).database) });
  } finally {
    dropStore(top);
  }
}

/** Another clone of the same project: one truth for both. */
export function shareStore(from: string, to: string): void {
  storeEnv(from);
  writeFileSync(nameFile(to), readNames(from).database);
}

/** Something said to the store by its administrator. */
export function tellStore(top: string, sql: string): void {
  const url = new URL(base ?? "");
  url.pathname = `/${readNames(top).database}`;
  say(sql, url.href);
}

export function dropStore(top: string): void {
  if (existsSync(nameFile(top)))
    say(`DROP DATABASE IF EXISTS ${readNames(top).database} WITH (FORCE)`);
}

/** A store that is set up and empty. */
export const TEMPLATE = "holdpoint_template";
export const FIRST_CLONE = "the first clone";
export const AGENT = { name: "agent", password: "works" };

function nameFile(top: string): string {
  return `${top}.store`;
}

function readNames(top: string): { readonly database: string; readonly place: string } {
  const [database = "", place = ""] = readFileSync(nameFile(top), "utf8").split("\n");
  return { database, place };
}

function makeDatabase(top: string, like: string): void {
  const name = `e2e_${randomUUID().replaceAll("-", "")}`;
  say(`CREATE DATABASE ${name} TEMPLATE ${like}`);
  writeFileSync(nameFile(top), `${name}\n${FIRST_CLONE}`);
}

function addressOf(database: string): string {
  const url = new URL(base ?? "");
  return `postgresql://${AGENT.name}:${AGENT.password}@${url.host}/${database}?project=e2e`;
}

function say(sql: string, url: string = base ?? ""): void {
  const args = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", sql, url];
  execFileSync(join(binDirectory(), "psql"), args, { stdio: "pipe" });
}
