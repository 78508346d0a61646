import { canonicalAgent, selectAgents } from "./agents.ts";
import { matchesGlob, specificity } from "../../../core/values/glob.ts";

/**
 * The risk of a change, from the paths it touches. For each path the most specific pattern counts, over all paths
 * the highest level. A keyword in the description raises it by one, and a person may override it.
 */
export type Level = "HIGH" | "MEDIUM" | "LOW";

export interface RiskPatterns {
  readonly HIGH: readonly string[];
  readonly MEDIUM: readonly string[];
  readonly LOW: readonly string[];
}

/** The original pattern `**\/README*` would also match README.js. */
const README: readonly string[] = ["", ".md", ".txt", ".rst", ".adoc"].map(
  (ending) => `**/README${ending}`,
);

/** The protocol's own patterns; a repository sets its own. */
export const DEFAULT_PATTERNS: RiskPatterns = {
  HIGH: [
    "src/**/*.java",
    "pom.xml",
    "**/pom.xml",
    ".github/**",
    "**/security/**",
    "checkstyle.xml",
    "**/checkstyle*.xml",
    "CLAUDE.md",
    "docs/project/task-protocol.md",
    "docs/project/critical-rules.md",
  ],
  MEDIUM: [
    "src/test/**/*.java",
    "docs/code-style/**",
    "**/resources/**/*.properties",
    "**/*Test.java",
    "**/*Tests.java",
  ],
  LOW: ["*.md", "docs/**/*.md", "todo.md", "*.txt", "*.log", ...README],
};

export const ESCALATION_KEYWORDS: readonly string[] = [
  "security",
  "architecture",
  "breaking",
  "performance",
  "concurrent",
  "database",
  "api",
  "state",
  "dependency",
];

export interface RiskInput {
  readonly paths: readonly string[];
  readonly description: string;
  /** `FULL` forces the full protocol. */
  readonly override?: Level | "FULL" | null;
  readonly patterns?: RiskPatterns;
  readonly keywords?: readonly string[];
  /** Safety gates of the short way that failed. */
  readonly safety?: readonly string[];
  /** The repository's own files that decide what is checked, besides those that every repository may have. */
  readonly rules?: readonly string[];
  /** Modes and blobs of each changed path, which show what a name does not. */
  readonly entries?: Readonly<Record<string, string>>;
}

export interface Classification {
  readonly level: Level;
  readonly method: "pattern" | "keyword escalation" | "safety escalation" | "manual override";
  readonly triggers: readonly string[];
  readonly variant: "FULL" | "ABBREVIATED" | "STREAMLINED";
  readonly agents: readonly string[];
  readonly reason: string;
  readonly change_type: ChangeType;
}

export type ChangeType = "code" | "documentation_only" | "config_only";

export function classify(input: RiskInput): Classification {
  const ruling = input.paths
    .filter((path) => isRule(path, input.rules))
    .map((path) => `${path} decides how changes are made or checked`);
  const odd = Object.entries(input.entries ?? {})
    .filter(([, entry]) => !isPlain(entry))
    .map(([path]) => `${path} is, or was, more than a plain file`);
  const grave = [...ruling, ...odd];
  const settings = input.paths.filter(isSetting).map((path) => `${path} is configuration`);
  const change_type = grave.length > 0 ? "code" : changeType(input.paths);
  const { level, method, triggers } = notLow(levelOf(input), [...grave, ...settings]);
  const variant = level === "HIGH" ? "FULL" : level === "MEDIUM" ? "ABBREVIATED" : "STREAMLINED";
  const agents = agentsFor(level, input);
  const because = triggers.length === 0 ? "nothing in scope is known" : triggers.join("; ");
  return { level, method, triggers, variant, agents, reason: `${method}: ${because}`, change_type };
}

type Graded = Pick<Classification, "level" | "method" | "triggers">;

function levelOf(input: RiskInput): Graded {
  const { override = null } = input;
  if (override !== null) {
    const level = override === "FULL" ? "HIGH" : override;
    return { level, method: "manual override", triggers: [`set to ${override}`] };
  }
  const graded = input.paths.map((path) => gradePath(path, input.patterns ?? DEFAULT_PATTERNS));
  const level = highest(graded.map((one) => one.level));
  const triggers = graded.filter((one) => one.level === level).map((one) => one.why);
  return escalate({ level, method: "pattern", triggers }, input);
}

/** LOW is only for plain files that configure nothing, whatever a pattern or override says. */
function notLow(graded: Graded, because: readonly string[]): Graded {
  if (graded.level !== "LOW" || because.length === 0) return graded;
  return {
    level: "MEDIUM",
    method: "safety escalation",
    triggers: [...graded.triggers, ...because],
  };
}

/** Mode and blob, before and after. True if neither is a link, an executable or a submodule. */
export function isPlain(entry: string): boolean {
  return entry.split(" ").every((word) => !/^\d{6}$/.test(word) || word === "100644");
}

/**
 * Continuous integration, hooks, instructions to agents, Holdpoint's configuration, and the protocols it names.
 */
const RULES =
  /^(?:holdpoint\.config\.json$|\.(?:github|gitlab|circleci|buildkite|husky|githooks|woodpecker|forgejo|gitea|holdpoint|claude|codex|cursor|gemini|opencode)\/)|(?:^|\/)(?:(?:CLAUDE|AGENTS|GEMINI)(?:\.\w+)?\.md|\.gitlab-ci[^/]*\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|\.woodpecker\.ya?ml|\.pre-commit-config\.yaml|appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.ya?ml|Jenkinsfile[^/]*|lefthook[^/]*\.ya?ml|\.git(?:attributes|modules|ignore))$/i;

function isRule(path: string, rules: readonly string[] = []): boolean {
  return RULES.test(path) || rules.includes(path);
}

function escalate(graded: Graded, input: RiskInput): Graded {
  const words = new Set(input.description.toLowerCase().split(/[^a-z]+/));
  const found = (input.keywords ?? ESCALATION_KEYWORDS).filter((word) => words.has(word));
  if (found.length > 0 && graded.level !== "HIGH") {
    const triggers = [...graded.triggers, ...found.map((word) => `the task says "${word}"`)];
    return { level: up(graded.level), method: "keyword escalation", triggers };
  }
  const unsafe = input.safety ?? [];
  if (graded.level !== "LOW" || unsafe.length === 0) return graded;
  return {
    level: "MEDIUM",
    method: "safety escalation",
    triggers: [...graded.triggers, ...unsafe],
  };
}

function up(level: Level): Level {
  return level === "LOW" ? "MEDIUM" : "HIGH";
}

export interface GradedPath {
  readonly path: string;
  readonly level: Level;
  readonly why: string;
}

/** The most specific pattern decides; between equally specific ones, the riskier. Without a match: HIGH. */
export function gradePath(path: string, patterns: RiskPatterns = DEFAULT_PATTERNS): GradedPath {
  const hits = LEVELS.flatMap((level) =>
    patterns[level]
      .filter((pattern) => matchesGlob(pattern, path))
      .map((pattern) => ({ level, pattern, weight: specificity(pattern) })),
  );
  const best = hits.toSorted((a, b) => b.weight - a.weight)[0];
  return best === undefined
    ? { path, level: "HIGH", why: `${path} matches no pattern` }
    : { path, level: best.level, why: `${path} matches ${best.pattern}` };
}

const LEVELS: readonly Level[] = ["HIGH", "MEDIUM", "LOW"];

function highest(levels: readonly Level[]): Level {
  return LEVELS.find((level) => levels.includes(level)) ?? "HIGH";
}

/** Text files by their ending, but read by the build. */
const BUILD_FILES =
  /(?:^|\/)(?:CMakeLists\.txt|requirements[^/]*\.txt|constraints[^/]*\.txt|Makefile|Dockerfile|pom\.xml|[^/]*\.gradle(?:\.kts)?|package(?:-lock)?\.json|Cargo\.(?:toml|lock)|go\.(?:mod|sum))$/;

export function isBuildFile(path: string): boolean {
  return BUILD_FILES.test(path);
}

/** A text for people, which no build or check reads. */
export function isProse(path: string): boolean {
  return (
    /\.(?:md|txt|adoc|rst)$|(?:^|\/)README[^/.]*$/i.test(path) &&
    !isBuildFile(path) &&
    !isRule(path)
  );
}

function changeType(paths: readonly string[]): ChangeType {
  if (paths.length === 0) return "code";
  if (paths.every(isProse)) return "documentation_only";
  return paths.every((path) => CONFIG_FILES.test(path)) ? "config_only" : "code";
}

const CONFIG_FILES = /\.(?:properties|ya?ml|toml|ini|cfg|conf)$/i;

/** Includes hidden files and JSON. */
function isSetting(path: string): boolean {
  return CONFIG_FILES.test(path) || /\.(?:jsonc?|env|xml)$|(?:^|\/)\.[^/]+$/i.test(path);
}

interface Conditional {
  readonly agent: string;
  readonly words: readonly string[];
  readonly paths: readonly string[];
}

/** Agents that join only if the content requires it. */
const CONDITIONAL: readonly Conditional[] = [
  {
    agent: "security",
    words: ["security", "auth", "authentication", "credentials", "crypto"],
    paths: ["**/security/**", "**/auth/**"],
  },
  {
    agent: "performance",
    words: ["performance", "concurrent", "latency", "memory"],
    paths: ["bench/**", "**/benchmark/**"],
  },
  {
    agent: "test",
    words: ["test", "tests", "coverage"],
    paths: ["src/test/**", "test/**", "**/*Test.java", "**/*Tests.java"],
  },
  {
    agent: "usability",
    words: ["usability", "ui", "cli", "message", "messages"],
    paths: ["**/cli/**", "**/ui/**"],
  },
  { agent: "style", words: ["style", "format"], paths: ["docs/code-style/**"] },
];

export function agentsFor(
  level: Level,
  input: Pick<RiskInput, "paths" | "description">,
): readonly string[] {
  if (level === "LOW") return [];
  const always =
    level === "HIGH" ? ["architect", "style", "quality", "build"] : ["architect", "quality"];
  const words = new Set(input.description.toLowerCase().split(/[^a-z]+/));
  const extra = CONDITIONAL.filter(
    (one) =>
      one.words.some((word) => words.has(word)) ||
      input.paths.some((path) => one.paths.some((pattern) => matchesGlob(pattern, path))),
  ).map((one) => one.agent);
  return selectAgents([...always, ...extra].map(canonicalAgent)).agents;
}

/** The three reasons that make the short way unsafe, as sentences. */
export function safetyGates(input: {
  readonly referencedFrom: readonly string[];
  readonly affectsBuild: boolean;
  readonly sensitive: readonly string[];
}): readonly string[] {
  return [
    ...(input.referencedFrom.length > 0
      ? [`referenced from ${input.referencedFrom.join(", ")}`]
      : []),
    ...(input.affectsBuild ? ["it affects the build"] : []),
    ...(input.sensitive.length > 0 ? [`security-sensitive: ${input.sensitive.join(", ")}`] : []),
  ];
}

/** The higher of two levels. */
export function riskier(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) < LEVELS.indexOf(other) ? one : other;
}

export function isLevel(text: unknown): text is Level {
  return LEVELS.some((level) => level === text);
}

/** Whether the short way is possible for this task. */
export function mayTakeShortWay(level: Level | null, change: string): boolean {
  if (level === "LOW") return true;
  return level === "MEDIUM" && (change === "documentation_only" || change === "config_only");
}
