/** Releases that travel with commits: one blob each, under references that are pushed like any other. */
import { READ_ONLY } from "../run/environment.ts";
import type { RunOptions } from "../run/run.ts";
import type { GitAnswer } from "../run/failure.ts";
import type { BroughtRef } from "../../../ports/fence.ts";

export type Git = (
  args: readonly string[],
  env?: RunOptions["env"],
  input?: string,
) => Promise<GitAnswer>;

const PLACE = "refs/holdpoint/releases/";
const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Anybody may push such references, so number and size are limited. */
const COUNT_MAX = 32;
const BYTES_MAX = 256 * 1024;

export async function readCarried(
  git: Git,
  oid: string,
  brought: readonly BroughtRef[],
): Promise<readonly string[]> {
  if (!OID.test(oid)) return [];
  const place = `${PLACE}${oid}/`;
  const format = ["--format=%(objectname)", `--count=${COUNT_MAX}`];
  const kept = linesOf(await git(["for-each-ref", ...format, place]));
  const coming = brought.filter(({ ref }) => ref.startsWith(place)).map(({ to }) => to);
  const ids = [...new Set([...coming, ...kept])].filter((id) => OID.test(id)).slice(0, COUNT_MAX);
  const texts: string[] = [];
  for (const id of ids) {
    const [size = "", type = ""] = linesOf(
      await git(["cat-file", "--batch-check=%(objectsize) %(objecttype)"], READ_ONLY, `${id}\n`),
    ).flatMap((line) => line.split(" "));
    if (type !== "blob" || Number(size) > BYTES_MAX) continue;
    const { end, code, stdout } = await git(["cat-file", "blob", id]);
    if (end === "exit" && code === 0) texts.push(stdout.toString("utf8"));
  }
  return texts;
}

export async function writeCarried(
  git: Git,
  oid: string,
  name: string,
  text: string,
): Promise<boolean> {
  if (!OID.test(oid) || !/^\w{1,80}$/.test(name)) return false;
  const [blob = ""] = linesOf(await git(["hash-object", "-w", "--stdin"], {}, text));
  return (await git(["update-ref", `${PLACE}${oid}/${name}`, blob], {})).code === 0;
}

function linesOf({ end, code, stdout }: GitAnswer): readonly string[] {
  if (end !== "exit" || code !== 0) return [];
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}
