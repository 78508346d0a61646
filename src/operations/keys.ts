import type { Refusal } from "../core/decide/answer.ts";
import { NAMESPACE } from "../core/decide/decisions/statement.ts";
import { text as textIn } from "../core/values/json-read.ts";
import { isHardware, isValidAt, linesFor, namesOf, readSigners } from "../core/values/signers.ts";
import type { Signers } from "../core/values/signers.ts";
import { openWorld } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { inForce, SIGNERS, signersIn } from "../engine/release/policy.ts";
import type { Schema } from "../files/json/schema.ts";
import type { OwnKey } from "../ports/signatures.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { answers, FLAG, listOf, shape, TEXT, TEXTS } from "./parts/shapes.ts";
import { told } from "./parts/told.ts";

export type KeysInput = {
  readonly check?: boolean;
  readonly key?: string;
  readonly name?: string;
  readonly hardware?: boolean;
};

export interface KeysTold extends Answer {
  /** This user's keys: the names each is listed under here, and remarks about it. */
  readonly keys: readonly {
    readonly file: string;
    readonly type: string;
    readonly names: readonly string[];
    readonly warnings: readonly string[];
  }[];
  /** The file with the keys that count. */
  readonly file: string;
  readonly added?: string;
  /** The key that was created, if there was none. */
  readonly made?: string;
  readonly next: readonly string[];
}

const KEYS: Schema = answers(
  shape(
    {
      ok: FLAG,
      keys: listOf(shape({ file: TEXT, type: TEXT, names: TEXTS, warnings: TEXTS })),
      file: TEXT,
      next: TEXTS,
    },
    { added: TEXT, made: TEXT },
  ),
);

export const keys: Operation<KeysInput, Answered<KeysTold>> = told({
  name: "keys",
  purpose: "Set up the key you sign releases with (people only)",
  input: inputOf<KeysInput>({
    required: {},
    optional: {
      check: flag("only look: which of your keys count here"),
      key: text("the file of the key; without it one of yours, or a new one"),
      name: text("the name it counts under, such as ada@example.org"),
      hardware: flag("make a key that is kept in a device and asks for a touch"),
    },
  }),
  result: KEYS,
  examples: [{}, { check: true }, { key: "~/.ssh/id_ed25519.pub", name: "ada@example.org" }],
  readOnly: ({ check }) => check === true,
  run,
});

async function run(context: Context, input: KeysInput): Promise<Answered<KeysTold>> {
  const { parts, caller } = context;
  const bases = inForce(await openWorld(parts).bases(), "");
  const file = textIn(parts.config.policy?.["signers"]) || SIGNERS;
  const counting = readSigners(signersIn(bases).signers);
  if (input.check === true) return await tell(parts, file, counting);
  if (caller.actor.kind !== "person") return refusedAnswer([FOR_PEOPLE]);
  const had = (await parts.signatures.keys()).map((one) => one.file);
  const own = await chosen(parts, input);
  if ("code" in own) return refusedAnswer([own]);
  const name = input.name ?? nameIn(own) ?? caller.actor.name;
  if (!/^[\w@.+-]{1,200}$/.test(name)) return refusedAnswer([notAName(name)]);
  const line = `${name} namespaces="${NAMESPACE}" ${own.type} ${own.key}`;
  const read = await parts.workspace.read(file);
  if (read.kind === "unreadable") {
    const { message, fix } = read;
    return refusedAnswer([{ code: "signers-unreadable", message, fix, rule: "core" }]);
  }
  const before = read.kind === "text" ? read.text : null;
  const known = readSigners(before ?? "").signers.some(
    (one) => one.key === own.key && namesOf(one).includes(name),
  );
  if (known) return await tell(parts, file, counting);
  const start = before === null || before === "" || before.endsWith("\n") ? "" : "\n";
  const put = await parts.workspace.install(file, `${before ?? ""}${start}${line}\n`, before);
  if (put.kind !== "installed") {
    const message = `${file} could not be written`;
    const fix = "Make it writable, then try again.";
    return refusedAnswer([{ code: "signers-unwritable", message, fix, rule: "core" }]);
  }
  return {
    ...(await tell(parts, file, counting)),
    added: line,
    ...(had.includes(own.file) ? {} : { made: own.file }),
    next: nextSteps(parts, file),
  };
}

const FOR_PEOPLE: Refusal = {
  code: "person-required",
  message: "Only a person sets up the key that a person signs with",
  fix: "Ask a person to do it, in a terminal of their own.",
  rule: "core",
};

function notAName(name: string): Refusal {
  return {
    code: "name-illegal",
    message: `${JSON.stringify(name)} is no name to sign under`,
    fix: "Use letters, digits and @ . + - _, such as ada@example.org.",
    rule: "core",
  };
}

/** The named key, else one that programs cannot use unnoticed, else any, else a new one. */
async function chosen({ signatures }: Parts, input: KeysInput): Promise<OwnKey | Refusal> {
  const all = await signatures.keys();
  const { key: named, hardware = false } = input;
  if (named !== undefined) {
    const found = all.find((one) =>
      [one.file, `${one.file}.pub`].some(
        (file) => file === named || file.endsWith(`/${named.replace(/^~\//, "")}`),
      ),
    );
    if (found?.certified !== undefined) return certified(found);
    if (found !== undefined) return found;
    return {
      code: "key-unknown",
      message: `There is no key ${named} with its public half beside it in ~/.ssh`,
      fix: "Leave out which key, and one is found or made.",
      rule: "core",
    };
  }
  const plain = all.filter((one) => one.certified === undefined);
  const fit = plain.filter((one) => !hardware || isHardware(one.type));
  const found = fit.find((one) => !one.open) ?? fit[0];
  if (found !== undefined) return found;
  const made = await signatures.make(hardware ? "holdpoint_ed25519_sk" : "holdpoint_ed25519", {
    hardware,
  });
  if (made.kind === "made") return made.key;
  const { code, message, fix } = made;
  return { code, message, fix, rule: "core" };
}

function certified({ file }: OwnKey): Refusal {
  return {
    code: "key-certified",
    message: `${file} is a certificate: it counts by the line of its authority, and needs none of its own`,
    fix: `Let the authority's key count: <names> cert-authority,namespaces="${NAMESPACE}" <its public key>, and sign with --key ${file}.`,
    rule: "core",
  };
}

function nameIn({ comment }: OwnKey): string | undefined {
  return /^[\w.+-]+@[\w.-]+$/.test(comment) ? comment : undefined;
}

async function tell(parts: Parts, file: string, counting: Signers): Promise<KeysTold> {
  const own = await parts.signatures.keys();
  const now = parts.clock.now();
  return {
    ok: true,
    keys: own.map((one) => {
      const lines = linesFor(one, counting, parts.signatures.fingerprint);
      const valid = lines.filter(({ line }) => isValidAt(line, now));
      return {
        file: one.file,
        type: one.type,
        names: valid.flatMap(({ names }) => names),
        warnings: [
          ...(one.open ? [OPEN_KEY] : []),
          ...(lines.length > valid.length
            ? ["it counts only within the time that its line names"]
            : []),
        ],
      };
    }),
    file,
    next: [],
  };
}

const OPEN_KEY =
  "it has no passphrase and is in no device: every program that runs as you, an agent too, can sign with it";

function nextSteps({ config }: Parts, file: string): readonly string[] {
  const add = config.policy === undefined ? `${file} holdpoint.config.json` : file;
  return [
    ...(config.policy === undefined
      ? ['Write "policy": {"strength": "signed"} into holdpoint.config.json']
      : []),
    `git add ${add} && git commit -m "Let my key count"`,
    "On the protected branch it counts once somebody whose key counts already accepts it; the first one counts at once",
  ];
}
