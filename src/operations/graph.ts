import { drawMachine } from "../core/table/draw.ts";
import { ROOT } from "../core/state/state.ts";
import { find } from "../engine/engine.ts";
import { unusableProtocols } from "../engine/intake/find.ts";
import { refusedAnswer, usage } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FLAG, TEXT, answers, orNull, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type GraphInput = { readonly of: string; readonly kind?: string };

export interface Drawn extends Answer {
  readonly protocol: string;
  readonly kind: string;
  /** The state of the workflow, if one was named. */
  readonly at: string | null;
  readonly mermaid: string;
}

const GRAPH: Schema = answers(
  shape({ ok: FLAG, protocol: TEXT, kind: TEXT, at: orNull(TEXT), mermaid: TEXT }),
);

export const graph: Operation<GraphInput, Answered<Drawn>> = {
  name: "graph",
  purpose: "Draw a protocol, or a workflow with the place where it stands",
  input: inputOf<GraphInput>({
    required: { of: text("a workflow or a protocol") },
    optional: { kind: text("which of its machines; without it, the workflow's own") },
  }),
  result: GRAPH,
  examples: [{ of: "team-contract" }, { of: "TapeDelay" }],
  readOnly: () => true,
  run,
};

async function run({ parts }: Context, { of, kind }: GraphInput): Promise<Answered<Drawn>> {
  const known = await parts.families.get(of);
  const found = known === undefined ? await find(parts, of) : undefined;
  if (found?.kind === "refused")
    // The missing protocol may be defined in a file that cannot be used.
    return refusedAnswer([...(await unusableProtocols(parts.families)), ...found.refusals]);
  const protocol = (known ?? found?.family)?.protocol;
  if (protocol === undefined) return usage(`There is no "${of}".`, "Name another.");
  const machine = kind ?? protocol.root;
  if (!Object.hasOwn(protocol.kinds, machine))
    return usage(
      `${protocol.title} has no machine "${machine}".`,
      `It has: ${Object.keys(protocol.kinds).join(", ")}.`,
    );
  const at = machine === protocol.root ? (found?.state.units[ROOT]?.at ?? null) : null;
  const mermaid = drawMachine(protocol, machine, at ?? undefined);
  return { ok: true, protocol: protocol.name, kind: machine, at, mermaid };
}
