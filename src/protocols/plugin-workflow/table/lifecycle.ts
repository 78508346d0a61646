import { variable } from "../../../core/guards/guards.ts";
import type { RuledNeed, Move } from "../../../core/table/protocol.ts";
import { RESET } from "./position.ts";
import { questions } from "./questions.ts";
import { CONTRACTS, SEALABLE, agree, commit, ordered, sealed, testsPassed } from "./rows.ts";

/** What can be done with a plugin besides building it: install, improve, reset, remove. */

const nextVersion: RuledNeed = {
  guard: "next-version",
  code: "version-illegal",
  fix: "Give the next patch, minor or major version as input version.",
  rule: "PW-307",
};

const changelogged: RuledNeed = {
  guard: "fact",
  args: {
    fact: "changelog:{id}:{input.version}",
    in: [true],
    says: "CHANGELOG.md has no entry for the new version",
  },
  code: "changelog-missing",
  fix: "Add an entry for that version to plugins/{id}/CHANGELOG.md.",
  rule: "PW-307",
};

/** The backup is the version that the improvement started from. */
const improvedCode: RuledNeed = {
  guard: "fact",
  args: { fact: "improvement:{id}", in: [true], says: "nothing of {id} was improved" },
  code: "work-not-measured",
  fix: "Change the plugin, or take the improvement back by resetting it to its backup.",
  rule: "PW-307",
};

/** A finished plugin only changes through improve, which needs a backup of the existing version. */
function improve(guiTypes: readonly (string | null)[], asks: string | undefined): readonly Move[] {
  return [
    {
      id: "improve",
      from: ["working", "installed"],
      to: "improving",
      by: ["person"],
      detour: true,
      when: [variable("gui_type", guiTypes)],
      needs: [
        {
          guard: "fact",
          args: {
            fact: "backup:{id}",
            in: [true],
            says: "there is no whole backup of {id} v{version}",
          },
          code: "backup-missing",
          fix: "Copy plugins/{id} to backups/{id}/v{version}/ first.",
          rule: "PW-307",
        },
      ],
      voids: ["stage-5-complete"],
      whileHeld: true,
      effects: [commit("improve: {id} begins an improvement")],
      label: "improve the finished plugin",
      rule: "PW-307",
      ...(asks === undefined ? {} : { ask: asks }),
    },
  ];
}

export const lifecycle: readonly Move[] = [
  {
    id: "install",
    from: ["working"],
    to: "installed",
    needs: [
      ...agree,
      sealed,
      ordered,
      // Validation applied to the tree at that time; what is installed is the tree now.
      testsPassed(undefined),
      {
        guard: "fact",
        args: { fact: "built:{id}", in: [true], says: "there is no release build of {id}" },
        code: "build-missing",
        fix: "Build it; a VST3, AU or Standalone must lie under build/{id}/plugins/{id}/{id}_artefacts/.",
        rule: "PW-309",
      },
    ],
    unseals: SEALABLE,
    notes: [{ list: "timeline", tag: "v{version}", text: "Installed" }],
    effects: [commit("feat: {id} installed")],
    by: ["person"],
    label: "install the plugin",
    rule: "PW-092",
  },
  {
    id: "uninstall",
    from: ["installed"],
    to: "working",
    by: ["person"],
    needs: [ordered],
    seals: CONTRACTS,
    effects: [commit("feat: {id} uninstalled")],
    label: "uninstall the plugin",
    rule: "PW-170",
  },
  ...improve(["webview", null], undefined),
  ...improve(["headless"], "improve-headless"),
  {
    id: "improved",
    from: ["improving"],
    to: "@back",
    needs: [improvedCode, testsPassed(undefined), nextVersion, changelogged],
    // An improvement may have changed the contracts. They are sealed again as they are now.
    unseals: SEALABLE,
    seals: CONTRACTS,
    set: { version: { input: "version" } },
    notes: [{ list: "timeline", tag: "v{version}", text: "{input.description}" }],
    effects: [commit("improve: {id} v{version} - {input.description}")],
    label: "finish the improvement",
    rule: "PW-307",
  },
  {
    id: "reset",
    from: ["s2", "s3", "s4", "s5", "working", "installed"],
    to: "ideated",
    by: ["person"],
    why: true,
    whileHeld: true,
    voids: Object.keys(questions),
    closes: "phase",
    unseals: SEALABLE,
    set: {
      handoff: { value: false },
      complexity_score: { value: null },
      phased_implementation: { value: null },
      gui_type: { value: null },
      paused: { value: null },
      version: { value: "-" },
    },
    notes: [{ list: "timeline", tag: "", text: `${RESET}: {input.reason}` }],
    effects: [
      {
        kind: "shelve",
        args: { keep: "creative-brief.md,parameter-spec.md,parameter-spec-draft.md,mockups" },
      },
      commit("feat: {id} reset to ideation"),
    ],
    label: "reset to ideation",
    rule: "PW-310",
  },
  {
    id: "destroy",
    from: ["ideated", "drafted", "s0", "s2", "s3", "s4", "s5", "working", "installed", "improving"],
    to: "removed",
    by: ["person"],
    why: true,
    whileHeld: true,
    voids: Object.keys(questions),
    closes: "phase",
    unseals: SEALABLE,
    effects: [{ kind: "shelve", args: { keep: "" } }, commit("feat: {id} removed")],
    label: "remove the plugin, keeping a backup",
    rule: "PW-170",
  },
];
