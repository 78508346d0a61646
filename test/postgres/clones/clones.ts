/** Clones of one project, as machines have them: one store, one remote repository, files of their own. */
import { join } from "node:path";
import { scratchAt, scratchDirectory } from "../../e2e/cli.ts";
import type { Scratch } from "../../e2e/cli.ts";
import { shareStore } from "../../e2e/store.ts";

/** The first is the repository itself, with a remote that all others were cloned from. */
export function clonesOf(first: Scratch, count: number): readonly [Scratch, ...Scratch[]] {
  const origin = join(scratchDirectory(), "origin.git");
  first.git("clone", "--quiet", "--bare", first.top, origin);
  first.git("remote", "add", "origin", origin);
  first.git("fetch", "--quiet", "origin");
  first.git("branch", "--quiet", "--set-upstream-to=origin/main", "main");
  const others = Array.from({ length: count - 1 }, () => {
    const top = join(scratchDirectory(), "work tree");
    first.git("clone", "--quiet", origin, top);
    shareStore(first.top, top);
    const clone = scratchAt(top);
    clone.git("config", "user.name", "Bob");
    clone.git("config", "user.email", "bob@example.org");
    return clone;
  });
  return [first, ...others];
}
