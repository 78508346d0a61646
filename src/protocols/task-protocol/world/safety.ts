import type { Workflow } from "../../../core/state.ts";
import type { World } from "../../../ports/family.ts";
import type { TaskPlaces } from "./places.ts";
import { object, text, texts } from "../../../core/json-read.ts";
import { safetyGates } from "../table/risk.ts";

export interface Change {
  readonly world: World;
  readonly state: Workflow;
  /** Where the files are read. */
  readonly branch: string;
  readonly paths: readonly string[];
}

/** The three gates of the short way, looked at in the repository; a setting may add reasons of its own. */
export async function safetyOf(places: TaskPlaces, change: Change): Promise<readonly string[]> {
  const { world, state, branch } = change;
  const { unsafe, sources } = object(world.config.settings["task"]);
  const lists = [text(state.vars["todo"]), text(state.vars["changelog"])];
  const paths = change.paths.filter((path) => !lists.includes(path)).slice(0, PATHS_MAX);
  if (paths.length === 0) return texts(unsafe);
  const folders = sources === undefined ? SOURCES : texts(sources);
  const found = await Promise.all(paths.map((path) => places.file(branch, path)));
  const gates = safetyGates({
    referencedFrom: await places.mentions(text(state.vars["main"]), paths, folders),
    affectsBuild: paths.some((path) => BUILD_FILES.test(path)),
    sensitive: paths.filter((_, index) => SECRETS.test(found[index] ?? "")),
  });
  return [...texts(unsafe), ...gates];
}

const PATHS_MAX = 50;
const SOURCES: readonly string[] = ["src"];

/** Texts by their ending, and yet what the build reads. */
const BUILD_FILES =
  /(?:^|\/)(?:CMakeLists\.txt|requirements[^/]*\.txt|constraints[^/]*\.txt|Makefile|Dockerfile|pom\.xml|[^/]*\.gradle(?:\.kts)?|package(?:-lock)?\.json|Cargo\.(?:toml|lock)|go\.(?:mod|sum))$/;

const SECRETS =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:password|passwd|secret|api[_-]?key|access[_-]?token)\b\s*[:=]\s*\S{6,}/i;
