import { isJsonArray } from "../../../core/values/json.ts";
import type { SessionStatus } from "../files/status-json.ts";
import type { Task } from "../files/tasks.ts";

/** What older files keep in status.json, and where it belongs now. */
const LISTS = { completed_tasks: "completed", blocked_tasks: "blocked" } as const;

export interface OldLists {
  readonly tasks: readonly Task[];
  /** Keys to remove once their content is in tasks.yaml. */
  readonly keys: readonly string[];
  readonly remarks: readonly string[];
}

/**
 * The first schema listed finished and blocked tasks in status.json, because tasks had no status of their own.
 */
export function oldLists({ raw }: SessionStatus, tasks: readonly Task[]): OldLists {
  const found = Object.entries(LISTS).flatMap(([key, status]) => {
    const list = raw[key];
    return isJsonArray(list) && list.every((one) => typeof one === "string")
      ? [{ key, status, ids: list }]
      : [];
  });
  const statusOf = (id: string): string => found.find(({ ids }) => ids.includes(id))?.status ?? "";
  return {
    tasks: tasks.map((task) =>
      task.status === "" ? { ...task, status: statusOf(task.id) } : task,
    ),
    keys: found.map(({ key }) => key),
    remarks: found.flatMap(({ key, status, ids }) => {
      const lost = ids.filter((id) => !tasks.some((task) => task.id === id));
      return [
        `${key} goes from status.json to tasks.yaml`,
        ...(lost.length === 0
          ? []
          : [`${lost.join(", ")} called ${status}, but no task of tasks.yaml`]),
      ];
    }),
  };
}
