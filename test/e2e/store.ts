/**
 * Where `npm run test:postgres` says so, each scratch repository has its truth in a database of its own, whose name lies
 * beside it. A copy of the repository gets a copy of the database.
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
  return { HOLDPOINT_STORE: addressOf(readFileSync(nameFile(top), "utf8")) };
}

export function copyStore(from: string, to: string): void {
  if (base !== undefined && existsSync(nameFile(from)))
    makeDatabase(to, readFileSync(nameFile(from), "utf8"));
}

export function dropStore(top: string): void {
  if (existsSync(nameFile(top)))
    say(`DROP DATABASE IF EXISTS ${readFileSync(nameFile(top), "utf8")} WITH (FORCE)`);
}

/** A store that is set up and empty. */
export const TEMPLATE = "holdpoint_template";
export const AGENT = { name: "agent", password: "works" };

function nameFile(top: string): string {
  return `${top}.store`;
}

function makeDatabase(top: string, like: string): void {
  const name = `e2e_${randomUUID().replaceAll("-", "")}`;
  say(`CREATE DATABASE ${name} TEMPLATE ${like}`);
  writeFileSync(nameFile(top), name);
}

function addressOf(database: string): string {
  const url = new URL(base ?? "");
  return `postgresql://${AGENT.name}:${AGENT.password}@${url.host}/${database}?project=e2e`;
}

function say(sql: string): void {
  const args = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", sql, base ?? ""];
  execFileSync(join(binDirectory(), "psql"), args, { stdio: "pipe" });
}
