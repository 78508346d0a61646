/** The reference pages say what the program does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { drawMachine } from "../src/core/draw.ts";
import type { Protocol } from "../src/core/protocol.ts";
import { referencePages } from "../scripts/reference.ts";
import { story } from "./story.ts";
import { toy } from "./toy.ts";

const ROOT = join(import.meta.dirname, "..");

describe("reference pages", () => {
  for (const [path, text] of Object.entries(referencePages()))
    test(`${path} is what the source says; npm run docs writes it`, () => {
      expect(readFileSync(join(ROOT, path), "utf8")).toBe(text);
    });
});

test("a drawing shows every state, where it begins and ends, and where it stands", () => {
  const drawn = drawMachine(toy, toy.root, "doing");
  const states = toy.kinds[toy.root]?.states ?? [];
  for (const [index, state] of states.entries())
    expect(drawn).toContain(`state "${state}" as s${index}`);
  expect(drawn).toContain(`[*] --> s${states.indexOf(toy.kinds[toy.root]?.start ?? "")}`);
  expect(drawn).toContain(`class s${states.indexOf("doing")} here`);
});

test("the protocol in the how-to is one, and holds as the page says", async () => {
  const article = await protocolOfPage("docs/how-to/write-a-protocol.md");
  const text = "digest:articles/a.md";
  story(article, { workflow: "a", facts: { [text]: null } })
    .when({ type: "workflow.start", workflow: "a", vars: {} })
    .send("write")
    .report({ outcome: "success" })
    .expectRefused("article-missing")
    .given({ [text]: "sha256:1" })
    .report({ outcome: "success" })
    .expectHeld("publish")
    .given({ [text]: "sha256:2" })
    .reply("publish", "yes")
    .expectHeld("publish")
    .reply("publish", "yes")
    .expectAccepted();
});

/** The first block of code on a page, run as its reader would run it. */
async function protocolOfPage(path: string): Promise<Protocol> {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
  const dir = mkdtempSync(join(tmpdir(), "page-"));
  const file = join(dir, "page.mjs");
  const entry = pathToFileURL(join(ROOT, "dist/index.js")).href;
  writeFileSync(file, code.replace('"holdpoint"', JSON.stringify(entry)));
  try {
    const page: { readonly article: Protocol } = await import(/* @vite-ignore */ file);
    return page.article;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
