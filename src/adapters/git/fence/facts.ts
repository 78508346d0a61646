/** Facts about commits, read without trusting whoever answers. */
import type { CommitFacts } from "../../../ports/fence.ts";
import { readLooseCommit } from "../objects/loose.ts";
import { isItself } from "../objects/verified.ts";
import { READ_ONLY } from "../run/environment.ts";
import type { Git } from "./carried.ts";

/**
 * A few loose objects are read directly, which is faster than starting git. The others come from one process,
 * whose answers begin with their size.
 */
export async function readFacts(
  git: Git,
  commonDir: string,
  oids: readonly string[],
): Promise<ReadonlyMap<string, CommitFacts>> {
  const found = new Map<string, CommitFacts>();
  const named = [...new Set(oids)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid));
  for (const oid of named.length > FEW ? [] : named) {
    const text = await readLooseCommit({ commonDir }, oid);
    if (text !== undefined) found.set(oid, factsIn(oid, text));
  }
  const wanted = named.filter((oid) => !found.has(oid));
  for (let at = 0; at < wanted.length; at += BATCH) {
    const input = `${wanted.slice(at, at + BATCH).join("\n")}\n`;
    const { code, end, stdout } = await git(["cat-file", "--batch"], { ...READ_ONLY }, input);
    if (end !== "exit" || code !== 0) continue;
    for (let from = 0; from < stdout.length;) {
      const line = stdout.indexOf("\n", from);
      if (line < 0) break;
      const [oid = "", type = "", size = ""] = stdout.toString("latin1", from, line).split(" ");
      const length = type === "missing" ? -1 : Number(size);
      const body = stdout.subarray(line + 1, line + 1 + length);
      // The hash is checked, so that only the very commit that was asked for is accepted.
      if (type === "commit" && isItself({ oid, type, bytes: body }))
        found.set(oid, factsIn(oid, body.toString("utf8")));
      from = line + 2 + length;
    }
  }
  return found;
}

function factsIn(oid: string, text: string): CommitFacts {
  const gap = text.indexOf("\n\n");
  const [head, message] = gap < 0 ? [text, ""] : [text.slice(0, gap), text.slice(gap + 2)];
  const [, tree = ""] = /^tree ([0-9a-f]+)/.exec(head) ?? [];
  const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, one = ""]) => one);
  const people = [...head.matchAll(/^(?:author|committer) (.*) <(.*)> \d+ [+-]\d+$/gm)];
  const [, at = ""] = /^committer .*> (\d+) [+-]\d+$/m.exec(head) ?? [];
  return {
    oid,
    tree,
    parents,
    message,
    at: Number(at),
    people: people.flatMap(([, name = "", address = ""]) => [name, address]),
    trailers: trailersIn(message),
  };
}

const FEW = 8;
const BATCH = 500;

/** Trailers from the last paragraph only. A name that occurs twice is dropped. */
function trailersIn(message: string): CommitFacts["trailers"] {
  const last =
    message
      .trimEnd()
      .split(/\n[ \t]*\n/)
      .at(-1) ?? "";
  const found = [...last.matchAll(/^(Holdpoint-[A-Za-z]+): (.*)$/gm)];
  const names = found.map(([, name = ""]) => name);
  return Object.fromEntries(
    found.flatMap(([, name = "", value = ""]) =>
      names.filter((one) => one === name).length === 1 ? [[name, value.trim()]] : [],
    ),
  );
}
