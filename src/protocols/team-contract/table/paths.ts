import { SESSIONS } from "../files/session-name.ts";

/** What a path is, by its name alone: a document, a test, part of the build; and who may write it. */

/** Text for people. A change of it voids no check of the code; whatever can be run or is read by a program is code. */
const DOCUMENT =
  /^(?:[^/]+\.(?:md|rst|adoc)|(?:README|CHANGELOG|RELEASE[\w-]*|CONTRIBUTING|LICEN[CS]E|NOTICE|AUTHORS)(?:\.txt)?|docs\/(?:.*\/)?[^/]+\.(?:md|rst|adoc|txt|png|jpe?g|gif|svg|pdf))$/i;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|e2e|fixtures|testdata)\/|[._-](?:test|spec)\.[a-z]+$|(?:^|\/)test_[^/]+$/i;
const RELEASE =
  /^(?:CHANGELOG[^/]*|RELEASE[^/]*|VERSION|package(?:-lock)?\.json|pyproject\.toml|Cargo\.(?:toml|lock)|[^/]+\.gemspec|docs\/release[^/]*)$/i;
const BUILD =
  /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|Makefile|Dockerfile|[^/]*\.(?:ya?ml|toml|cfg|ini|config\.[a-z]+|lock|gradle|cmake))$|^\.|(?:^|\/)(?:ci|scripts|build)\//i;

/** Part of what is delivered and judged: neither the session's own files nor text for people. */
export function isCode(path: string): boolean {
  return !path.startsWith(`${SESSIONS}/`) && !DOCUMENT.test(path);
}

/** What the product itself is made of; the build around it is not. */
export function isProduct(path: string): boolean {
  return isCode(path) && !BUILD.test(path);
}

/** Files of the session folder that each role makes. Everybody may touch the two shared ones. */
const SESSION_FILES: Readonly<Record<string, RegExp>> = {
  SpecAgent: /^(?:spec\.md|acceptance\.json)$/,
  Architect: /^(?:architecture\.md|adr\/)/,
  Designer: /^design-specs\//,
  Researcher: /^research\//,
  Docs: /^(?:report|spec|architecture)\.md$/,
};

export function mayTouch(role: string, state: string, session: string, path: string): boolean {
  if (path.split("/").includes("..")) return false;
  if (path.startsWith(`${SESSIONS}/`)) {
    const own = `${SESSIONS}/${session}/`;
    if (!path.startsWith(own)) return false;
    const file = path.slice(own.length);
    return ["status.json", "tasks.yaml"].includes(file) || SESSION_FILES[role]?.test(file) === true;
  }
  switch (role) {
    case "Coder":
      return true;
    case "Integrator":
      return state === "RELEASE" ? RELEASE.test(path) : true;
    case "QA":
      return TESTS.test(path);
    case "Docs":
      return DOCUMENT.test(path) || path.startsWith("docs/");
    default:
      return false;
  }
}
