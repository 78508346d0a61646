/** The branches port, implemented with git's binary. */
import type { Branches } from "../../../ports/worktrees.ts";
import { fastForward, takeBack } from "./forward.ts";
import { pushBranch } from "./push.ts";
import { readAhead, readBranch, readChanged, readHead, readMentions, readRemote } from "./read.ts";
import { readDeparted } from "./departed.ts";
import { integrate, rebaseBranch } from "./rebase.ts";
import { squashBranch } from "./squash.ts";
import { readCommit } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY } from "../run/run.ts";
import { createUse, orNone, type WorktreeOptions } from "../worktree/list.ts";
import { isIn } from "../worktree/salvage.ts";

export function createBranches(options: WorktreeOptions): Branches {
  const use = createUse(options);
  return {
    head: async (branch) => orNone(await use((home) => readHead(home, branch))),
    ahead: async (branch, base) =>
      orNone(await use((home) => readAhead(home, branch, base))) ?? {
        commits: [],
        files: [],
        since: undefined,
        entries: {},
      },
    changed: async (from, to) => orNone(await use((home) => readChanged(home, from, to))) ?? [],
    departed: async (span) => orNone(await use((home) => readDeparted(home, span))),
    contains: async (branch, commit) =>
      orNone(await use((home) => hasCommit(home, branch, commit))) ?? false,
    file: async (branch, path) => orNone(await use((home) => readFile(home, branch, path))),
    mentions: async (branch, texts, under) =>
      orNone(await use((home) => readMentions(home, branch, { texts, under }))) ?? [],
    remote: async () => orNone(await use(readRemote)),
    rebase: (plan) => use((home) => rebaseBranch(home, plan)),
    integrate: (plan) => use((home) => integrate(home, plan)),
    squash: (plan) => use((home) => squashBranch(home, plan)),
    fastForward: (plan) => use((home) => fastForward(home, plan)),
    takeBack: (plan) => use((home) => takeBack(home, plan)),
    push: (plan) => use((home) => pushBranch(home, plan)),
  };
}

async function hasCommit(home: Repository, branch: string, commit: string): Promise<boolean> {
  const tip = await readBranch(home, branch);
  const known = await readCommit(home, commit);
  return tip !== undefined && known !== undefined && (await isIn(home, known, tip));
}

/** A text on the branch; undefined if there is none, or if it is not text. */
async function readFile(
  home: Repository,
  branch: string,
  path: string,
): Promise<string | undefined> {
  const tip = await readBranch(home, branch);
  if (tip === undefined || path === "") return undefined;
  const args = ["cat-file", "blob", `${tip}:${path}`];
  const answer = await home.run(args, { cwd: home.top, env: READ_ONLY });
  return answer.end === "exit" && answer.code === 0 ? answer.stdout.toString("utf8") : undefined;
}
