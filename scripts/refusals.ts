/** The page of all codes, read from the source: a code stands beside its fix, or its message says what to do. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const PARTS: readonly { readonly title: string; readonly files: RegExp }[] = [
  { title: "Core", files: /^core\// },
  { title: "Engine", files: /^(?:engine\/|compose)/ },
  { title: "Operations", files: /^operations\// },
  { title: "Command line", files: /^surfaces\// },
  {
    title: "Hooks, programs and families of one's own",
    files: /^(?:watch|door|family|authoring)\//,
  },
  { title: "Files, git and journal", files: /^(?:adapters|files)\// },
  { title: "Plugin workflow", files: /^protocols\/plugin-workflow\// },
  { title: "Team contract", files: /^protocols\/team-contract\// },
  { title: "Task protocol", files: /^protocols\/task-protocol\// },
];

const INTRO = `# Refusals, errors and findings

Every one has a code, a sentence, a fix and the rule behind it. The sentence says what is wrong in this very
case; this page, written from the source by \`npm run docs\`, says where a code comes from and what to do
about it. Codes never change their meaning.
`;

export function refusalsPage(src: string): string {
  const paths = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .toSorted();
  const sections = PARTS.map(({ title, files }) => {
    const fixes = new Map<string, string>();
    for (const path of paths.filter((one) => files.test(one)))
      for (const [code, fix] of codesIn(readFileSync(join(src, path), "utf8")))
        if ((fixes.get(code) ?? "") === "") fixes.set(code, fix);
    const rows = [...fixes].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const lines = rows.map(([code, fix]) => `| \`${code}\` | ${fix || "as the message says"} |`);
    return `\n## ${title}\n\n| code | what to do |\n|---|---|\n${lines.join("\n")}\n`;
  });
  return `${INTRO}${sections.join("")}`;
}

/** The fix belongs to the code before it, up to the next code. */
function codesIn(text: string): readonly (readonly [string, string])[] {
  const found = [...text.matchAll(CODES)].flatMap((match) => {
    const [whole, made, compared] = match;
    const word = made ?? compared;
    const start = match.index + whole.length;
    if (word !== undefined) return [{ code: word, at: start }];
    const [, plain] = /^"([a-z][a-z0-9_-]*)"/.exec(text.slice(start)) ?? [];
    if (plain !== undefined) return [{ code: plain, at: start }];
    // Which of two it is may depend on something.
    const [chosen = ""] = /^[^;,{}\n]*(?:\n\s*[?:][^;,{}\n]*)*/.exec(text.slice(start)) ?? [];
    const codes = chosen.matchAll(/"([a-z]+(?:[-_][a-z0-9]+)+)"/g);
    return [...codes].map(([, code = ""]) => ({ code, at: start }));
  });
  return found.map(({ code, at }, index) => {
    const end = found.slice(index + 1).find((one) => one.at > at)?.at ?? text.length;
    const after = text.slice(at, Math.min(end, at + FAR));
    return [code, readable(fixIn(after) || lastWords(after))] as const;
  });
}

/** `code: ...`, or a function that makes one of its first word. */
const CODES = new RegExp(
  [
    String.raw`\bcode:\s`,
    String.raw`\b(?:soft|say|refuse|refused|finding|bad|down|problem|found|wrong|lacking)\(\s*(?:(?:\w+|"[^"]*"|${"`[^`]*`"}),\s*)?"([a-z]+(?:-[a-z0-9]+)+)",`,
    String.raw`(?:\.code [!=]==|const LEFT =) "([a-z]+(?:-[a-z0-9]+)+)"`,
  ].join("|"),
  "g",
);

/** Where sentence and fix are given one after the other, the fix is the last of them. */
function lastWords(text: string): string {
  const [call = ""] = /^[^;]*?\)(?=[;,\n])/.exec(text) ?? [];
  const sentences = [...call.matchAll(/(["`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(
    (one) => one[2] ?? "",
  );
  return sentences.length > 1 ? (sentences.findLast((one) => /\s\S.*\.$/.test(one)) ?? "") : "";
}

/** A sentence, or what is said beside the operation that helps. */
function fixIn(text: string): string {
  const [, , sentence] = /\bfix:\s*(["`])((?:\\.|(?!\1)[^\\])*)\1/.exec(text) ?? [];
  const [act = "", asks, name = ""] =
    /\bfix:\s*(remedy|step)\(\s*"([^"]*)"[^;]*?\)/.exec(text) ?? [];
  if (act === "" || (sentence !== undefined && text.indexOf("fix:") !== text.indexOf(act)))
    return sentence ?? "";
  const says = [...act.matchAll(/(["`])((?:\\.|(?!\1)[^\\])*)\1/g)]
    .map((one) => one[2] ?? "")
    .find((one) => one.includes(" "));
  const operation = asks === "step" ? `advance … ${name}` : name;
  return says === undefined ? `\`${operation}\`` : `${says}: \`${operation}\``;
}

function readable(fix: string): string {
  return fix
    .replaceAll(/\$\{[^}]*\}+/g, "…")
    .replaceAll(/\\(["`])/g, "$1")
    .replaceAll("\\n", " ")
    .replaceAll("|", "\\|");
}

const FAR = 600;
