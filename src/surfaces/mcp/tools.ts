/** The tools for agents: operations under their own names, with as few words as an agent needs. */
import type { Json, JsonObject } from "../../core/values/json.ts";
import { advance } from "../../operations/advance.ts";
import { ask } from "../../operations/ask.ts";
import { audit } from "../../operations/audit.ts";
import { list } from "../../operations/list.ts";
import { next } from "../../operations/next.ts";
import type { Operation } from "../../operations/operation.ts";
import { order } from "../../operations/order.ts";
import { report } from "../../operations/report.ts";
import { show } from "../../operations/show.ts";
import { start } from "../../operations/start.ts";
import { status } from "../../operations/status.ts";
import { verify } from "../../operations/verify.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: Json };
  readonly annotations: { readonly readOnlyHint: boolean; readonly openWorldHint: false };
}

/** The operation and input of a call; undefined if the arguments name none. */
export interface Asked {
  readonly operation: Operation;
  readonly input: JsonObject;
}

interface Offer {
  readonly about: string;
  /** Inputs that agents may give. Operations that only people may use are not offered. */
  readonly takes: readonly string[];
  readonly operation: Operation;
}

/**
 * Instructions for all tools, placed in a tool's description: not every client shows its model what a server says
 * about itself.
 */
const HOW: string = [
  "What to do now: do only that.",
  "Start each subagent with its dispatch id alone; its last words say what is next.",
  "A person answers (holdpoint answer): tell them and stop, afterwards call advance.",
  "look: details",
].join(" ");

/** Answering, approving, adopting and reconciling are left out for every caller. */
const OFFERS: Readonly<Record<string, Offer>> = {
  next: {
    about: HOW,
    takes: ["workflow", "look", "id"],
    operation: next,
  },
  advance: {
    about: "Go on until somebody must act; question: ask a person",
    takes: ["workflow", "step", "unit", "reason", "input", "question"],
    operation: advance,
  },
  order: {
    about: "Subagents: your order",
    takes: ["workflow", "dispatch"],
    operation: order,
  },
  report: {
    about: "Report as the order asks",
    takes: ["workflow", "dispatch", "text"],
    operation: report,
  },
  start: {
    about: "Begin a workflow",
    takes: ["workflow", "protocol", "options"],
    operation: start,
  },
};

/**
 * Asking a person is part of `advance` and not a tool of its own: in one client, each tool costs a hundred
 * tokens.
 */
const QUESTION: Offer = { about: "", takes: ["workflow", "question"], operation: ask };

/** Details on request are part of `next`, which saves a tool. */
const LOOKS: Readonly<Record<string, Operation>> = { status, show, verify, audit };
const LOOK: JsonObject = { look: { type: "string", enum: Object.keys(LOOKS) } };

export const TOOLS: readonly Tool[] = Object.entries(OFFERS).map(
  ([name, { about, takes, operation }]): Tool => {
    const { properties, required } = operation.input;
    const needed = takes.filter((one) => one !== "workflow" && required.includes(one));
    return {
      name,
      description: about,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          takes.map((one) => [one, LOOK[one] ?? { type: properties[one]?.type ?? "string" }]),
        ),
        ...(needed.length === 0 ? {} : { required: needed }),
      },
      annotations: {
        // Fetching an order assigns it, so it is not read-only.
        readOnlyHint: operation !== order && operation.readOnly?.({}) === true,
        openWorldHint: false,
      },
    };
  },
);

/** Tools for agents at work. The lead agent needs neither if its agents have servers of their own. */
const AT_WORK: readonly string[] = ["order", "report"];

export function toolsFor({
  lead,
  agent,
}: {
  readonly lead: boolean;
  readonly agent?: string;
}): readonly Tool[] {
  if (agent !== undefined) return TOOLS.filter((one) => AT_WORK.includes(one.name));
  return lead ? TOOLS.filter((one) => !AT_WORK.includes(one.name)) : TOOLS;
}

/** What a tool call asks for; undefined if there is no such tool. */
export function askedBy(name: string, given: JsonObject): Asked | undefined {
  if (name === "next" && given["look"] !== undefined) return lookFor(given);
  const asks = name === "advance" && given["question"] !== undefined;
  const offer = asks ? QUESTION : Object.hasOwn(OFFERS, name) ? OFFERS[name] : undefined;
  if (offer === undefined) return undefined;
  return { operation: narrowed(offer), input: goesFar(offer) ? withFar(given) : given };
}

/** The operation for agents: an input that is not offered is refused as unknown. */
function narrowed({ operation, takes }: Offer): Operation {
  const { input } = operation;
  const fits = goesFar({ operation }) ? [...takes, "far"] : takes;
  const properties = Object.entries(input.properties).filter(([name]) => fits.includes(name));
  return { ...operation, input: { ...input, properties: Object.fromEntries(properties) } };
}

/** After a step or a report, the agent wants to know who acts next. Going far saves a call each time. */
function goesFar({ operation }: Pick<Offer, "operation">): boolean {
  return operation === advance || operation === report;
}

/** A step with a reason leaves the usual path, and somebody should decide how to go on. */
function withFar(given: JsonObject): JsonObject {
  return given["reason"] === undefined && given["step"] !== "cancel"
    ? { ...given, far: true }
    : given;
}

function lookFor({ look = "", ...given }: JsonObject): Asked {
  const operation =
    typeof look === "string" && Object.hasOwn(LOOKS, look) ? LOOKS[look] : undefined;
  if (operation === undefined) return { operation: UNKNOWN_LOOK, input: { look } };
  // Only inputs that name something are passed on; others might change something.
  const named = ["workflow", "id"].filter((one) => Object.hasOwn(operation.input.properties, one));
  const input = Object.fromEntries(Object.entries(given).filter(([name]) => named.includes(name)));
  const all = look === "verify" && given["workflow"] === undefined ? { all: true } : {};
  return { operation, input: { ...input, ...all } };
}

/** Refuses like an operation with a wrong input, naming what can be looked at. */
const UNKNOWN_LOOK: Operation = {
  ...list,
  name: "next",
  input: {
    type: "object",
    properties: { look: { type: "string", description: "", enum: Object.keys(LOOKS) } },
    required: [],
    additionalProperties: false,
  },
};
