/** A git directory without settings, attributes or hooks, which uses the repository's objects. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./place.ts";

export interface Neutral extends Readonly<Record<string, string>> {
  readonly GIT_DIR: string;
}

/** Creates it inside `place`, and returns the environment in which git uses it. */
export function makeNeutral(
  { zeroOid, commonDir }: Pick<Repository, "zeroOid" | "commonDir">,
  place: string,
): Neutral {
  const bare = join(place, "bare");
  for (const name of ["objects", "refs", "info"]) mkdirSync(join(bare, name), { recursive: true });
  writeFileSync(join(bare, "HEAD"), "ref: refs/heads/none\n");
  const format = zeroOid.length === 64 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  const version = format === "" ? 0 : 1;
  writeFileSync(join(bare, "config"), `[core]\n\trepositoryFormatVersion = ${version}\n${format}`);
  return {
    GIT_DIR: bare,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
  };
}
