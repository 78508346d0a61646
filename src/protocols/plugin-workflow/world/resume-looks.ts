import type { Look } from "../../../ports/family.ts";
import { homeOf } from "../table/paths.ts";
import { progressDate } from "../table/position.ts";
import { SHOWN_MAX } from "../table/resume.ts";

/** What has happened to a plugin's files outside the workflow. */
export const resumeLooks: Readonly<Record<string, Look>> = {
  dirty: async ({ place, git }, plugin) => {
    if (place.kind !== "repository") return [];
    return (await git.changes([homeOf(plugin)])).slice(0, SHOWN_MAX + 1).map((one) => one.path);
  },
  later: async ({ place, git }, plugin, state) => {
    if (place.kind !== "repository") return [];
    const own = Object.values(state.effects).flatMap(({ detail }) => detail["oid"] ?? []);
    const log = await git.log(homeOf(plugin), SHOWN_MAX + 1);
    const last = log.findIndex((commit) => own.includes(commit.oid));
    const since = log.filter(({ at }) => own.length > 0 || at.slice(0, 10) > progressDate(state));
    return (last < 0 ? since : log.slice(0, last)).map(
      ({ oid, subject }) => `${oid.slice(0, 7)} ${subject}`,
    );
  },
};
