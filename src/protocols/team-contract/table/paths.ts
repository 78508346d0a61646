import { SESSIONS } from "../files/session-name.ts";

/** Classifies paths by name: document, test, part of the build; and says who may write them. */

/**
 * Text for people. Changing it does not invalidate checks of the code. Anything that is run, or read by a
 * program, is code.
 */
const DOCUMENT =
  /^(?:[^/]+\.(?:md|rst|adoc)|(?:README|CHANGELOG|RELEASE[\w-]*|CONTRIBUTING|LICEN[CS]E|NOTICE|AUTHORS)(?:\.txt)?|docs\/(?:.*\/)?[^/]+\.(?:md|rst|adoc|txt|png|jpe?g|gif|svg|pdf))$/i;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|e2e|fixtures|testdata)\/|[._-](?:test|spec)\.[a-z]+$|(?:^|\/)test_[^/]+$/i;
const RELEASE =
  /^(?:CHANGELOG[^/]*|RELEASE[^/]*|VERSION|package(?:-lock)?\.json|pyproject\.toml|Cargo\.(?:toml|lock)|[^/]+\.gemspec|docs\/release[^/]*)$/i;
const BUILD =
  /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|Makefile|Dockerfile|[^/]*\.(?:ya?ml|toml|cfg|ini|config\.[a-z]+|lock|gradle|cmake))$|^\.|(?:^|\/)(?:ci|scripts|build)\//i;

/** Part of what is delivered and judged: neither session files nor text for people. */
export function isCode(path: string): boolean {
  return !path.startsWith(`${SESSIONS}/`) && !DOCUMENT.test(path);
}

/** Part of the product itself; the build around it is not. */
export function isProduct(path: string): boolean {
  return isCode(path) && !BUILD.test(path);
}

/** Session files that each role makes. Everybody may touch the two shared ones. */
const SESSION_FILES: Readonly<Record<string, RegExp>> = {
  SpecAgent: /(?:spec\.md|acceptance\.json)$/,
  Architect: /(?:architecture\.md|adr\/)/,
  Designer: /design-specs\//,
  Researcher: /research\//,
  Docs: /(?:report|spec|architecture)\.md$/,
};
const SHARED = /(?:status\.json|tasks\.yaml)$/;
const EVERYTHING = new RegExp(`^(?!${inPattern(SESSIONS)}/)`);

const OUTSIDE_TESTS = new RegExp(`${EVERYTHING.source}[^]*?(?:${TESTS.source})`, "i");

/** What a role may write, as expressions over paths relative to the top of the worktree. */
export function mayWrite(role: string, state: string, session: string): readonly RegExp[] {
  const own = inPattern(`${SESSIONS}/${session}/`);
  const files = [SHARED, ...(SESSION_FILES[role] === undefined ? [] : [SESSION_FILES[role]])];
  return [...files.map(({ source }) => new RegExp(`^${own}${source}`)), ...product(role, state)];
}

function product(role: string, state: string): readonly RegExp[] {
  switch (role) {
    case "Coder":
      return [EVERYTHING];
    case "Integrator":
      return state === "RELEASE" ? [RELEASE] : [EVERYTHING];
    case "QA":
      return [OUTSIDE_TESTS];
    case "Docs":
      return [DOCUMENT, /^docs\//];
    default:
      return [];
  }
}

function inPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export function mayTouch(role: string, state: string, session: string, path: string): boolean {
  if (path.split("/").includes("..")) return false;
  return mayWrite(role, state, session).some((one) => one.test(path));
}
