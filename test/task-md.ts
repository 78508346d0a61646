/** `task.md` as a coordinator writes it. */
interface NewTaskDocument {
  readonly task: string;
  readonly objective: string;
  readonly inScope: readonly string[];
  readonly outOfScope: readonly string[];
}

export function renderTaskMd({ task, objective, inScope, outOfScope }: NewTaskDocument): string {
  const list = (paths: readonly string[]): readonly string[] =>
    paths.length === 0 ? ["- (none)"] : paths.map((path) => `- \`${path}\``);
  return [
    `# Task Context: ${task}`,
    "",
    "## Task Objective",
    "",
    objective,
    "",
    "## Scope Definition",
    "",
    "**FILES IN SCOPE:**",
    "",
    ...list(inScope),
    "",
    "**FILES OUT OF SCOPE:**",
    "",
    ...list(outOfScope),
    "",
    "## Stakeholder Agent Reports",
    "",
    "### Requirements Phase",
    "",
    "### Implementation Reviews",
    "",
  ].join("\n");
}
