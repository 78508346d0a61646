/** `npm run picture`: a held workflow as the terminal shows it, drawn from what the program really prints. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { follow, stepsOf } from "../test/page.ts";

const ROOT = join(import.meta.dirname, "..");
const LAST = "CONTRACT DRIFT DETECTED";
const [WIDTH, LINE, LEFT, TOP] = [760, 20, 20, 52];

const top = mkdtempSync(join(tmpdir(), "holdpoint-picture-"));
try {
  writeFileSync(join(ROOT, "docs/held.svg"), draw(play(join(top, "repository"))));
} finally {
  rmSync(top, { recursive: true });
}

/** The tutorial up to the report on a broken seal, and what that prints in colour. */
function play(cwd: string): string {
  mkdirSync(cwd);
  mkdirSync(join(top, "bin"));
  symlinkSync(join(ROOT, "bin/holdpoint.js"), join(top, "bin/holdpoint"));
  const env = { PATH: `${join(top, "bin")}:${process.env["PATH"] ?? ""}`, HOME: top };
  const steps = stepsOf(readFileSync(join(ROOT, "docs/tutorial/your-first-plugin.md"), "utf8"));
  const end = steps.findIndex(
    (one) => one.kind === "command" && one.shows.some((line) => line.includes(LAST)),
  );
  const missed = follow(steps.slice(0, end), cwd, env);
  const step = steps[end];
  if (missed.length > 0 || step?.kind !== "command")
    throw new Error(`Cannot play: ${missed.join()}`);
  const shown = spawnSync("sh", ["-c", step.command], {
    cwd,
    env: { ...env, FORCE_COLOR: "1", COLUMNS: "80" },
    encoding: "utf8",
  });
  if (!shown.stdout.includes(LAST)) throw new Error(`Cannot draw: ${shown.stdout}`);
  return `$ my-agent | holdpoint report TapeDelay -\n${shown.stdout.trimEnd()}`;
}

function draw(text: string): string {
  const lines = text.split("\n");
  const height = TOP + lines.length * LINE + 10;
  const rows = lines.map(
    (line, index) =>
      `<text x="${LEFT}" y="${TOP + index * LINE}" xml:space="preserve">${spans(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" role="img" aria-label="A held workflow in a terminal">`,
    "<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#e6e6e6}.p1{font-weight:bold}.p2{fill:#9a9a9a}.p31{fill:#ff7b72}.p32{fill:#7ee787}.p33{fill:#f2cc60}</style>",
    `<rect width="100%" height="100%" rx="8" fill="#161b22"/>`,
    ...["#ff5f56", "#ffbd2e", "#27c93f"].map(
      (colour, index) => `<circle cx="${20 + index * 20}" cy="18" r="6" fill="${colour}"/>`,
    ),
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** What the program paints, as classes. */
function spans(line: string): string {
  const escape = String.fromCodePoint(27);
  return line
    .split(new RegExp(`${escape}\\[(\\d+)m`))
    .map((part, index, parts) => {
      if (index % 2 === 1) return "";
      const paint = index === 0 ? "0" : (parts[index - 1] ?? "0");
      const safe = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return paint === "0" || part === "" ? safe : `<tspan class="p${paint}">${safe}</tspan>`;
    })
    .join("");
}
