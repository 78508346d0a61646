/** Step C of a savepoint: writes the commit object, and moves the branch if it has not moved meanwhile. */
import type { Savepoint } from "../../../ports/git.ts";
import { withSettings } from "../run/environment.ts";
import { recallBuilt } from "../run/fixed.ts";
import { readCommit } from "./head.ts";
import { hasLoose, writeLoose } from "../objects/loose.ts";
import { subjectOf } from "../objects/message.ts";
import type { Repository } from "./place.ts";
import { isRefusedByHook, refRefused, signingFailed, type Refusal } from "../refusal.ts";
import { GitFailure } from "../run/run.ts";

/** Author, dates and message come from the savepoint, so repeating it gives the same id (unless signed). */
export async function writeCommit(
  repo: Repository,
  savepoint: Omit<Savepoint, "ref" | "blobs">,
): Promise<{ readonly refusal?: undefined; readonly oid: string } | { readonly refusal: Refusal }> {
  const written = await writeHere(repo, savepoint);
  if (written !== undefined) return { oid: written };
  const args = ["commit-tree", savepoint.tree];
  if (savepoint.base !== "") args.push("-p", savepoint.base);
  // `commit-tree` itself ignores commit.gpgSign.
  if (savepoint.sign) args.push("-S");
  // A configured i18n.commitEncoding would add a header, and so change the id.
  const env = { ...withSettings({ "i18n.commitEncoding": "UTF-8" }), ...identityOf(savepoint) };
  const answer = await repo.run(args, { cwd: repo.top, env, input: savepoint.message });
  if (answer.end === "exit" && answer.code === 0) {
    return { oid: answer.stdout.toString("utf8").trim() };
  }
  if (savepoint.sign && /sign/.test(answer.stderr)) return { refusal: signingFailed(answer) };
  throw new GitFailure(answer);
}

/**
 * The same object without git, if its tree was built that way. Undefined for input that git would change or
 * refuse.
 */
async function writeHere(
  repo: Repository,
  { tree, base, author, at, message, sign }: Omit<Savepoint, "ref" | "blobs">,
): Promise<string | undefined> {
  if (sign || recallBuilt(repo, tree) === undefined || !hasLoose(repo, tree)) return undefined;
  const who = [author.name, author.email].map(withoutCrud);
  const seconds = Math.floor(Date.parse(at) / 1000);
  if (who.includes("") || !(seconds > 0) || message.includes("\0")) return undefined;
  const stamp = `${who[0]} <${who[1]}> ${seconds} +0000`;
  const lines = [`tree ${tree}`, ...(base === "" ? [] : [`parent ${base}`])];
  const text = [...lines, `author ${stamp}`, `committer ${stamp}`, "", message].join("\n");
  return (await writeLoose(repo, [{ type: "commit", body: Buffer.from(text) }]))[0];
}

/** Cleans a name as git does: some characters are removed everywhere, others at the ends. */
function withoutCrud(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const ends = /^[\u0000-\u0020.,:;<>"\\']+|[\u0000-\u0020.,:;<>"\\']+$/g;
  return name.replaceAll(ends, "").replaceAll(/[\n<>]/g, "");
}

/** Moves the named branch and never HEAD: after a `git switch`, HEAD would be another branch. */
export async function moveRef(
  repo: Repository,
  savepoint: Savepoint,
  oid: string,
): Promise<"moved" | "lost" | Refusal> {
  const { ref, base, message } = savepoint;
  const args = ["update-ref", "-m", `holdpoint: ${subjectOf(message)}`, ref, oid, base];
  const answer = await repo.run(args, { cwd: repo.top, env: identityOf(savepoint) });
  if (answer.end === "exit" && answer.code === 0) return "moved";
  // Read the branch from the reference and not from git's message, whose wording changes between versions.
  if (((await readCommit(repo, ref)) ?? "") !== base) return "lost";
  if (/\.lock': File exists/.test(answer.stderr)) return "lost";
  if (isRefusedByHook(answer)) return refRefused(ref, answer);
  throw new GitFailure(answer);
}

function identityOf({ author, at }: Pick<Savepoint, "author" | "at">): Record<string, string> {
  const date = `@${Math.floor(Date.parse(at) / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: date,
  };
}
