import type { Option, Question } from "../../../core/table/protocol.ts";
import {
  bound,
  errorMenu,
  failureMenu,
  go,
  look,
  manual,
  pause,
  retry,
  stageMenu,
  historyMenu,
  unorderedMenu,
} from "./menus.ts";

/** The work that resuming sends out: the first of these that fits. */
const STAGES: readonly string[] = [
  "foundation",
  "dsp-phase",
  "dsp",
  "gui-phase",
  "gui",
  "editor",
  // Last, because it would also fit after stage 0, and resuming must not plan again.
  "research",
];

const resume: Option = {
  ...go("Resume where it stopped", [{ send: STAGES }]),
  words: ["resume", "resume automation"],
};
const review = look("review", "Show what is done and what comes next");
const stay: Option = { id: "stay", label: "Stay paused", words: ["pause"], does: [] };

/**
 * Every question that the plugin workflow asks a person. Each has an option to continue and one to stop. The
 * repository's menu file can change the labels, but not what an option does.
 */
export const questions: Readonly<Record<string, Question>> = {
  "stage-0-complete": stageMenu("Research & planning complete", "stage_0_complete", [
    go("Build the foundation", [{ send: ["foundation"] }]),
    look("review", "Review architecture.md and plan.md"),
    look("research", "Look deeper into similar designs", "find research beyond the plan"),
    pause(),
  ]),
  "stage-2-complete": stageMenu("Build system ready", "stage_2_complete", [
    go("Build the audio engine", [{ send: ["dsp-phase", "dsp"] }]),
    look("review", "Review the code so far"),
    pause(),
  ]),
  "stage-3-complete": stageMenu("Audio engine working", "stage_3_complete", [
    {
      ...go("Add a custom UI", [
        { set: { gui_type: { value: "webview" } } },
        { send: ["gui-phase", "gui"] },
      ]),
      words: ["custom-ui", "webview"],
    },
    {
      id: "headless",
      label: "Stay headless: a minimal editor, the host's own controls",
      does: [
        { set: { gui_type: { value: "headless" }, paused: { value: null } } },
        { send: ["editor"] },
      ],
    },
    look("review", "Review the audio engine"),
    look(
      "design-sync",
      "Check the mock-up against the brief",
      "catch design drift before it is built",
    ),
    {
      ...pause(),
      does: [{ set: { paused: { value: "gui" } } }],
    },
  ]),
  "stage-4-complete": stageMenu("UI integrated", "stage_4_complete", [
    go("Validate the plugin", [{ move: "begin-validation" }]),
    look("review", "Review the interface"),
    look("template", "Save this interface as a template", "reuse this design in other plugins"),
    pause(),
  ]),
  "stage-5-complete": {
    ...stageMenu("Plugin complete", "stage_5_complete", [
      go("Install the plugin", [{ move: "install" }]),
      look("test", "Test it in a host first"),
      pause(),
    ]),
    // The last checkpoint always asks, whatever was granted in advance.
    grant: [],
  },
  "phase-complete": {
    ...stageMenu("Phase {unit} complete", "phase_complete", [
      go("Continue with the next phase", [{ send: ["dsp-phase", "gui-phase"] }]),
      look("review", "Review this phase"),
      pause(),
    ]),
    grant: ["auto_phase", "express"],
    rule: "PW-218",
  },
  "stage-failed": failureMenu("The work was not completed", "build_failure", "PW-155", [
    retry(),
    look("investigate", "Investigate the cause", "look up what is known about this error"),
    look("code", "Show the code"),
    look("output", "Show the full output"),
    manual(),
  ]),
  "tests-failed": errorMenu("The tests have not passed on this", "validation_failure", "PW-156", [
    { ...go("Run them again", []), report: "taken", words: ["retry"] },
    look("investigate", "Investigate the failures", "look up what is known about this error"),
    look("details", "Show the full output"),
    {
      id: "manual",
      label: "Hand the work back",
      does: [],
      report: "returned",
    },
  ]),
  "validation-failed": errorMenu("Validation failed", "validation_failure", "PW-220", [
    look("investigate", "Investigate the failures", "look up what is known about this error"),
    look("details", "Show the full output"),
    { id: "retry", label: "I will fix it and validate again", does: [], recommended: true },
  ]),
  "not-ready": failureMenu(
    "The agent says the work is not ready for the next stage",
    "build_failure",
    "PW-070",
    [retry(), look("details", "Show the report"), manual()],
  ),
  "no-work": errorMenu("The report and the work do not agree", "build_failure", "PW-149", [
    retry(),
    look("details", "Show the report"),
    {
      id: "accept",
      label: "There was nothing to do, or it is there all the same: take the report",
      why: true,
      does: [{ set: { idle: { value: true } } }],
      report: "taken",
    },
  ]),
  "unordered-changes": unorderedMenu(),
  "history-changed": historyMenu(),
  "report-unreadable": failureMenu(
    "The agent's answer holds no readable report",
    "build_failure",
    "PW-073",
    [
      retry(),
      look("show", "Show the raw answer"),
      look("report", "Show what a report must hold"),
      manual(),
    ],
  ),
  // While this is open, the registry is left as it is. The answer rewrites the table.
  "registry-drift": failureMenu(
    "The table differs from the full entry",
    "registry_drift",
    "PW-161",
    [
      { id: "auto-fix", label: "Mend the table from the full entry", recommended: true, does: [] },
      look("values", "Show both values"),
      look("manual", "I will mend it by hand"),
    ],
  ),
  "contract-changed": errorMenu("CONTRACT DRIFT DETECTED", "contract_drift", "PW-060", [
    {
      id: "restore",
      label: "Restore the sealed contracts",
      recommended: true,
      does: [{ effect: { kind: "restore", args: {} } }, { ask: "contract-restored" }],
    },
    {
      id: "update",
      label: "Accept the change and seal it anew",
      why: true,
      does: [{ move: "accept-contracts" }],
      report: "taken",
    },
    look("improve", "Leave it, and change the plugin through improve instead"),
    {
      id: "hand-back",
      label: "Hand the work back",
      does: [],
      report: "returned",
    },
  ]),
  "contract-restored": failureMenu("The sealed contracts are back", "contract_restored", "PW-057", [
    { ...go("Take the report in", []), report: "taken", words: ["retry"] },
    {
      id: "hand-back",
      label: "Hand the work back",
      does: [],
      report: "returned",
    },
  ]),
  "commit-failed": errorMenu(
    "The commit was rejected; nothing was recorded as done",
    "commit_failure",
    "PW-204",
    [
      { id: "retry", label: "Try the commit again", recommended: true, does: [], report: "taken" },
      look("details", "Show error details"),
      look("manual", "Fix it by hand, then try again"),
      {
        id: "abort",
        label: "Hand the work back",
        words: ["pause"],
        does: [],
        report: "returned",
      },
    ],
  ),
  // Asked by the engine for a report whose state files cannot be written.
  recovery: {
    by: ["engine"],
    ...errorMenu("The state could not be written", "state_failure", "PW-141", [
      look("details", "Show error details"),
      { id: "retry", label: "Retry fallback", recommended: true, does: [], report: "taken" },
      look("manual", "Manual fix: mend the files, then retry"),
      {
        id: "abort",
        label: "Abort workflow: hand the work back",
        does: [],
        report: "returned",
      },
    ]),
  },
  "design-sync": bound(
    ["digest:plugins/{id}/.ideas/creative-brief.md", "mockups:{id}"],
    failureMenu(
      "There are mock-ups: do they still match the creative brief?",
      "design_sync",
      "PW-304",
      [
        {
          id: "in-sync",
          label: "They match: go on",
          recommended: true,
          does: [{ send: ["foundation"] }],
        },
        {
          id: "accept",
          label: "They differ, and that is intended",
          why: true,
          does: [{ send: ["foundation"] }],
        },
        {
          id: "fix",
          label: "I will change the brief or the mock-up first",
          words: ["pause"],
          does: [],
        },
        {
          id: "override",
          label: "Go on without checking",
          why: true,
          does: [
            { note: { list: "overrides", tag: "design-sync", text: "{input.reason}" } },
            { send: ["foundation"] },
          ],
        },
      ],
    ),
  ),
  resume: {
    prompt: "{id} is paused. Go on?",
    options: [resume, review, stay],
    rule: "PW-253",
  },
  "resume-which": {
    prompt: "{id} is paused, and its mock-up has a handoff of its own. Which one?",
    options: [
      { ...resume, label: "The plugin: resume where it stopped" },
      {
        id: "mockup",
        label: "The mock-up: follow .ideas/mockups/.continue-here.md; the plugin stays paused",
        words: ["mock-up"],
        does: [],
      },
      review,
      stay,
    ],
    rule: "PW-250",
  },
  "improve-headless": {
    prompt: "This plugin has no interface of its own",
    options: [
      { id: "keep", label: "Keep it headless and improve the rest", recommended: true, does: [] },
      {
        id: "create-ui",
        label: "Create a custom UI (a minor version)",
        does: [{ set: { gui_type: { value: "webview" } } }],
      },
    ],
    rule: "PW-278",
  },
};
