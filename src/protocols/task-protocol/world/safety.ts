import type { Workflow } from "../../../core/state/state.ts";
import type { World } from "../../../ports/family.ts";
import type { TaskPlaces } from "./places.ts";
import { object, text, texts } from "../../../core/values/json-read.ts";
import { listsOf } from "./settings.ts";
import { isBuildFile, safetyGates } from "../table/risk.ts";

export interface Change {
  readonly world: World;
  readonly state: Workflow;
  /** The branch in which the files are read. */
  readonly branch: string;
  readonly paths: readonly string[];
}

/** The three gates of the short way, checked in the repository. A setting may add further reasons. */
export async function safetyOf(places: TaskPlaces, change: Change): Promise<readonly string[]> {
  const { world, state, branch } = change;
  const { unsafe, sources } = object(world.config.settings["task"]);
  const lists = listsOf(state.vars);
  const paths = change.paths.filter((path) => !lists.includes(path));
  if (paths.length === 0) return texts(unsafe);
  if (paths.length > PATHS_MAX)
    return [...texts(unsafe), `it touches ${paths.length} files, more than ${PATHS_MAX}`];
  const folders = sources === undefined ? SOURCES : texts(sources);
  const found = await Promise.all(paths.map((path) => places.file(branch, path)));
  const gates = safetyGates({
    referencedFrom: await places.mentions(text(state.vars["main"]), paths, folders),
    affectsBuild: paths.some(isBuildFile),
    sensitive: paths.filter((_, index) => SECRETS.test(found[index] ?? "")),
  });
  return [...texts(unsafe), ...gates];
}

/** A change of more files is not small, so they are not checked one by one. */
const PATHS_MAX = 50;
const SOURCES: readonly string[] = ["src"];

const SECRETS =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)\b\s*[:=]\s*\S{6,}/i;
