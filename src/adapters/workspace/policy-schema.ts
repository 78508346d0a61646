/** The schema for releases in the configuration: protected branches, and how a person's word is proven. */
import type { JsonObject } from "../../core/values/json.ts";
import { RELEASE_MINUTES, STRENGTHS } from "../../core/state/policy.ts";

const RULE: JsonObject = {
  strength: {
    enum: STRENGTHS,
    description: "how a person's word is proven: not at all, at a terminal, or with a key",
    default: "word",
    "x-fix": `Write one of ${STRENGTHS.join(", ")}.`,
  },
  people: {
    type: "integer",
    description: "how many different people must say the same",
    default: 1,
    minimum: 1,
    maximum: 20,
  },
  notAuthor: {
    type: "boolean",
    description: "whoever made the work does not release it",
    default: false,
  },
  minutes: {
    type: "number",
    description: "how long a release counts after it was shown",
    default: RELEASE_MINUTES,
    minimum: 1,
    maximum: 1_440,
  },
  hardware: {
    type: "boolean",
    description: "only keys count that are kept in a device",
    default: false,
  },
  by: {
    type: "array",
    description: "the only people whose word counts, by the names they sign with",
    minItems: 1,
    items: { type: "string", pattern: "^\\S+$" },
    "x-fix": 'Write their names, such as ["ada@example.org"].',
  },
};

export const POLICY_SCHEMA: JsonObject = {
  protected: {
    type: "array",
    description: "branches that only what is released may move",
    minItems: 1,
    items: { type: "string", pattern: "^[^\\s~^:?*\\[\\\\-][^\\s~^:?*\\[\\\\]*$" },
    "x-fix": 'Write the names of branches, such as ["main"].',
  },
  policy: {
    type: "object",
    description: "how strongly a person's word must be proven before it counts",
    properties: {
      ...RULE,
      signers: {
        type: "string",
        description: "the committed file with the keys of people, as OpenSSH reads it",
        default: "allowed_signers",
        pattern: "^(?!/)(?!.*\\.\\.)\\S+$",
        "x-fix": "Write a path inside the repository, such as allowed_signers.",
      },
      revoked: {
        type: "string",
        description: "the committed file with keys that do not count any more",
        default: "revoked_keys",
        pattern: "^(?!/)(?!.*\\.\\.)\\S+$",
        "x-fix": "Write a path inside the repository, such as revoked_keys.",
      },
      gates: {
        type: "object",
        description: "other rules for single gates, by protocol and gate",
        propertyNames: {
          type: "string",
          pattern: "^(?:[\\w-]+|\\*)/(?:[\\w.:-]+|\\*)$",
          "x-fix": 'Write <protocol>/<gate>, such as "plugin-workflow/*" or "*/waive".',
        },
        additionalProperties: { type: "object", properties: RULE, additionalProperties: false },
      },
    },
    additionalProperties: false,
    "x-fix": 'Write it as {"strength": "signed"}, every key once.',
  },
};
