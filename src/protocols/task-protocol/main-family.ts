import type { Workflow } from "../../core/state/state.ts";
import { mainLock, parseMainLock } from "./files/main-lock.ts";
import { defineFamily } from "../../family/define.ts";
import type { Description, Family, View, World } from "../../ports/family.ts";
import { jsonView } from "./world/json-view.ts";
import { MAIN, mainProtocol } from "./table/main-protocol.ts";
import { object, text } from "../../core/values/json-read.ts";
import { rootDir } from "./world/settings.ts";
import { MAIN_AGENT } from "../../watch/watch.ts";
import type { Watched, WatchRule } from "../../watch/watch.ts";
import { remedy } from "../../core/table/remedy.ts";

/** The main worktree, connected to the lock file that people and other programs read. */
export const mainFamily: Family = defineFamily(mainProtocol, {
  names: {
    standing: MAIN,
    check: (id) =>
      id === MAIN
        ? undefined
        : {
            code: "name-illegal",
            message: `There is one main worktree, and it is called ${MAIN}`,
            fix: remedy("lock", { workflow: MAIN }),
            rule: "TP-044",
          },
  },
  starting: {
    vars: async (world) => ({ kind: "ready", vars: { root: rootDir({}, world.config) } }),
  },
  views: [lockView],
  looks: { "main-lock-file": async (world) => await foreignLock(world) },
  // Its only file is the lock, so there is nothing to find or to judge.
  adopt: { discover: async () => [] },
  verify: { judge: async () => [] },
  watch: watchLock,
  words: { describe, commands: {} },
});

/** The holder of the lock may write in the main worktree, except in the tasks' folders. */
function watchLock({ id, lease, vars }: Workflow): readonly Watched[] {
  if (lease === null) return [];
  const words = { code: "", rule: "", message: "", fix: "", lift: "" };
  const like = [`^(?!${text(vars["root"]).replaceAll(".", "\\.")}/)`];
  const roles = [MAIN_AGENT];
  const rule: WatchRule = {
    kind: "allowed",
    paths: [],
    like,
    roles,
    session: lease.session,
    workflow: id,
    ...words,
  };
  return [{ place: "", git: "free", holder: lease.session, rules: [rule] }];
}

function describe({ lease, vars }: Workflow): Description {
  const what = text(vars["operation_type"]);
  return {
    headline: lease === null ? "Free" : `Taken by ${lease.session} for a ${what}`,
    state: lease === null ? "free" : "IN_PROGRESS",
    details: [],
    finished: false,
  };
}

/** The file exists exactly while somebody holds the lock. */
function lockView({ lease, vars }: Workflow): View {
  const owned =
    lease === null
      ? undefined
      : mainLock({
          session: lease.session,
          operation: text(vars["operation_type"]),
          at: lease.takenAt,
        });
  return jsonView(`${text(vars["root"])}/${MAIN}/task.json`, owned);
}

/** Who holds the main worktree: according to the journal, or to a lock written by another program. */
export async function mainOwner(world: World): Promise<string | null> {
  const streams = (await world.workflows()).map((one) => object(one.summary));
  const known = streams.find((one) => one["protocol"] === mainProtocol.name);
  if (known !== undefined) return text(known["session"]) || null;
  return await foreignLock(world);
}

/** An unreadable lock belongs to somebody, too. */
async function foreignLock(world: World): Promise<string | null> {
  const file = await world.workspace.read(`${rootDir({}, world.config)}/${MAIN}/task.json`);
  if (file.kind === "absent") return null;
  const { value } = parseMainLock(file.kind === "text" ? file.text : "");
  return value?.sessionId ?? "somebody whose lock cannot be read";
}
