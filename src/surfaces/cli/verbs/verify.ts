import { find } from "../../../engine/engine.ts";
import { removeStale, verifyAll, verifyOne } from "../../../engine/verify.ts";
import type { VerifiedWorkflow } from "../../../ports/family.ts";
import { usageReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, ExitCode, Reply, Verb } from "../verb.ts";

export const verifyVerb: Verb = {
  summary: "Compare what the files claim with what is true",
  usage: "verify <name> | verify --all",
  options: {
    all: { type: "boolean", about: "every workflow of this tree; looks only, changes nothing" },
  },
  examples: ["holdpoint verify TapeDelay", "holdpoint verify --all --json"],
  // Looking at one workflow may clear away a file that outlived it; looking at all never does.
  readOnly: (flags) => flags["all"] === true,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, extra] = call.args;
  const all = call.flags["all"] === true;
  if (all ? id !== undefined : id === undefined || extra !== undefined) {
    return usageReply("verify needs one name, or --all.", `Usage: holdpoint ${verifyVerb.usage}`);
  }
  const workflows = all ? await verifyAll(call.parts) : await verifyAndTidy(call, id ?? "");
  const exit = workflows.reduce<ExitCode>((worst, one) => (one.exit > worst ? one.exit : worst), 0);
  return {
    exit,
    json: {
      ok: exit === 0,
      workflows: workflows.map(({ findings, ...one }) => ({
        ...one,
        findings: findings.map((finding) => ({ ...finding })),
      })),
    },
    text: await textOf(call, workflows),
  };
}

/** The clean-up belongs to looking at one workflow: what is removed is kept as a blob, and recorded. */
async function verifyAndTidy(call: Call, id: string): Promise<readonly VerifiedWorkflow[]> {
  const found = await find(call.parts, id);
  const workflows = await verifyOne(call.parts, found, id);
  for (const line of await removeStale(call.parts, { found, workflows, caller: call.caller }))
    call.terminal.note(line);
  return workflows;
}

async function textOf({ parts }: Call, workflows: readonly VerifiedWorkflow[]): Promise<string> {
  if (workflows.length === 0) return "No workflow files here.";
  const blocks = workflows.map(async (one) => {
    const family = await parts.families.get(one.protocol);
    return linesOf(one, family?.verify.headings[one.exit] ?? "");
  });
  return (await Promise.all(blocks)).flat().join("\n");
}

function linesOf({ id, exit, findings }: VerifiedWorkflow, heading: string): readonly string[] {
  const { good, bad, bold, dim } = style();
  return [
    `${exit === 0 ? good("✓") : bad("✗")} ${bold(safe(id))}  ${heading}`,
    ...findings.map(
      ({ code, file, line, message, fix, rule }) =>
        `    ${file}${line > 0 ? `:${line}` : ""}  ${safe(message)}\n      ${safe(fix)} ${dim(`(${code}, ${rule})`)}`,
    ),
  ];
}
