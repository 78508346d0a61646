import type { Worker } from "./names.ts";
import { sessionPath } from "./session-name.ts";

/**
 * Which session files each worker must get. `always` must exist; `present` is included once it exists. This is a
 * minimum: more may be listed.
 */
type RuledNeed = "always" | "present";

interface Row {
  readonly spec?: RuledNeed;
  readonly acceptance?: RuledNeed;
  readonly architecture?: RuledNeed;
  readonly tasks?: RuledNeed;
  readonly designs?: "present";
  readonly research?: "present";
}

const MATRIX: Readonly<Record<Worker, Row>> = {
  SpecAgent: {},
  Architect: { spec: "always", acceptance: "always", research: "present" },
  Designer: { spec: "always", acceptance: "always", architecture: "always" },
  Researcher: { spec: "always", acceptance: "present", architecture: "present" },
  Planner: {
    spec: "always",
    acceptance: "always",
    architecture: "always",
    designs: "present",
    research: "present",
  },
  Coder: { spec: "always", architecture: "present", tasks: "always", designs: "present" },
  Reviewer: {
    spec: "always",
    acceptance: "always",
    architecture: "present",
    tasks: "always",
    designs: "present",
  },
  QA: { spec: "always", acceptance: "always", tasks: "always", designs: "present" },
  Security: { spec: "always", architecture: "present", tasks: "always" },
  Integrator: { acceptance: "always", tasks: "always" },
  Docs: { spec: "always", acceptance: "always", architecture: "present", tasks: "always" },
};

const FILES = [
  ["spec", "spec.md"],
  ["acceptance", "acceptance.json"],
  ["architecture", "architecture.md"],
  ["tasks", "tasks.yaml"],
] as const;

export interface ContextFiles {
  /** Paths that must be listed, relative to the repository. */
  readonly required: readonly string[];
  /** Those that do not exist. */
  readonly missing: readonly string[];
}

/** `files` are paths inside the session's folder: `spec.md`, `adr/ADR-001.md`. */
export function contextFilesFor(
  agent: Worker,
  session: string,
  files: ReadonlySet<string>,
): ContextFiles {
  const row = MATRIX[agent];
  const fixed = FILES.flatMap(([key, file]) => {
    const need = row[key];
    return need === "always" || (need === "present" && files.has(file)) ? [file] : [];
  });
  const folders = [...files]
    .filter(
      (file) =>
        (row.designs === "present" && /^design-specs\/.+\.md$/.test(file)) ||
        (row.research === "present" && /^research\/.+\.md$/.test(file)),
    )
    .sort();
  const wanted = [...fixed, ...folders];
  const path = (file: string): string => sessionPath(session, file);
  return {
    required: wanted.map(path),
    missing: wanted.filter((file) => !files.has(file)).map(path),
  };
}
