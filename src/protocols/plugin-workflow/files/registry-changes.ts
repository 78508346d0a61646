import { isDate } from "./handoff/rules.ts";
import { isWritableStatus } from "./plugin-status.ts";
import type { Problem } from "../../../files/problem.ts";

/** The changes possible in a plugin's row and entry. Absent fields stay as they are. */
export interface RegistryChanges {
  /** A text that `formatStatus` can produce. */
  readonly status?: string;
  readonly version?: string;
  /** Defaults to the timeline's date (PW-166). */
  readonly lastUpdated?: string;
  /** Added at the end of the timeline, unless the event is already there. */
  readonly timeline?: { readonly date: string; readonly tag?: string; readonly text: string };
  /** Timeline lines with one of these tags are removed. */
  readonly isUnknown?: (tag: string) => boolean;
  /** Timeline lines dated by a clock that ran ahead, with the date that replaces theirs. */
  readonly redates?: readonly {
    readonly text: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly created?: string;
  /** Written as `**GUI Type:** headless`. */
  readonly guiType?: "headless" | "webview";
}

/** Problems with changes that no registry may contain. */
export function checkChanges({
  status,
  version,
  lastUpdated,
  timeline,
}: RegistryChanges): Problem[] {
  const wrong = (message: string, fix: string, rule: string): Problem[] => [
    { code: "registry-value", line: 0, message, fix, rule, severity: "error" },
  ];
  const dates = [lastUpdated, timeline?.date].filter((date) => date !== undefined);
  return [
    ...(status === undefined || isWritableStatus(status)
      ? []
      : wrong(
          `Cannot set the status ${JSON.stringify(status.slice(0, 80))}`,
          LEGAL_STATUSES,
          "PW-033",
        )),
    ...(dates.every(isDate)
      ? []
      : wrong("Cannot write a date that is not YYYY-MM-DD", "Give a calendar date", "PW-031")),
    ...(version === undefined || isVersion(version)
      ? []
      : wrong(
          "Cannot set a version that is not X.Y.Z or -",
          "Give a version such as 1.0.0",
          "PW-167",
        )),
    ...(timeline?.tag === undefined ||
    /^(?:Stage \d(?:\.[1-9]\d*)?|v\d+\.\d+\.\d+)$/.test(timeline.tag)
      ? []
      : wrong(
          "Cannot write this timeline tag",
          "Use `Stage N`, `Stage N.M` or `vX.Y.Z`",
          "PW-031",
        )),
  ];
}

export function isVersion(text: string): boolean {
  return /^(?:-|\d+\.\d+\.\d+[0-9A-Za-z.+-]*)$/.test(text);
}

const LEGAL_STATUSES =
  "Use `💡 Ideated`, `💡 Ideated (Draft Params)`, `🚧 Stage 0`, `🚧 Stage 2` to `🚧 Stage 5`, `🚧 Stage 3.M`, " +
  "`🚧 Stage 4.M`, `🚧 Improving`, `✅ Working`, `✅ Working (Headless)`, `📦 Installed` or `🗑️ Archived`";
