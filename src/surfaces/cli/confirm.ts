/** How a person at the command line proves their word: by a challenge at the terminal, or with a key. */
import { randomInt } from "node:crypto";
import type { Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { linesFor, readSigners } from "../../core/values/signers.ts";
import type { Confirm, Confirmed, Shown } from "../../engine/release/confirm.ts";
import type { OwnKey, Signatures } from "../../ports/signatures.ts";
import { cardText } from "./text/card-text.ts";
import { handedIn, toSign } from "./elsewhere.ts";
import { err } from "./terminal/out.ts";
import { printable } from "./terminal/style.ts";
import { openTty } from "./terminal/tty.ts";
import type { Tty, Typed } from "./terminal/tty.ts";

export interface How {
  readonly signs: boolean;
  readonly key: string | undefined;
  /** For signing on another machine: the file to write for it, or the file that came back. */
  readonly toSign: string | undefined;
  readonly signature: string | undefined;
  readonly top: string;
}

export function confirmHere(signatures: Signatures, how: How): Confirm {
  const { signs, key, toSign: file, signature, top } = how;
  if (signature !== undefined) return { signs: true, ask: handedIn(signature) };
  if (file !== undefined) return { signs: true, ask: toSign(file, top) };
  return {
    signs,
    ask: async (shown) => (signs ? await sign(signatures, shown, key) : await challenge(shown)),
  };
}

function refused(refusal: Omit<Refusal, "rule">): Confirmed {
  return { kind: "refused", refusal: { ...refusal, rule: "core" } };
}

/** Words that are easy to tell apart, and too many for a program to guess one at the first try. */
const WORDS =
  "amber anchor apple badge basil beach birch brick candle canyon cedar chalk cliff clover coral crane dawn delta ember fable falcon fern flint forest garden glacier harbor hazel heron indigo island ivory jasper juniper kettle lagoon lantern lemon linen maple marble meadow mint nectar oak olive orchid otter pearl pebble pine plum quartz raven reed river saffron sage slate spruce tulip velvet walnut willow".split(
    " ",
  );

async function challenge(shown: Shown): Promise<Confirmed> {
  const tty = openTty();
  if (tty === undefined)
    return refused({
      code: "presence-missing",
      message: `"${shown.gate}" wants somebody at a terminal, and this process has none`,
      fix: "Give the same command yourself, in a terminal of your own.",
    });
  try {
    const words = Array.from({ length: 3 }, () => WORDS[randomInt(WORDS.length)] ?? "").join(" ");
    tty.write(`\n${cardText(shown)}\n\n`);
    const typed = await tty.ask(`Type "${words}" to release it; anything else does not: `);
    const problem = unanswered(typed, words);
    if (problem !== undefined) return refused(problem);
    return { kind: "confirmed", by: shown.name, statement: shown.statement(shown.name) };
  } finally {
    tty.close();
  }
}

/** Whatever is not an answer refuses: a timeout, an interruption or the end of input never counts as yes. */
function unanswered(typed: Typed, words: string): Omit<Refusal, "rule"> | undefined {
  const fix = "Nothing was released; give the command again.";
  if (typed.kind === "interrupted")
    return { code: "answer-interrupted", message: "The answer was interrupted", fix };
  if (typed.kind === "ended")
    return { code: "answer-ended", message: "The terminal ended before an answer came", fix };
  if (typed.kind !== "line")
    return { code: "answer-late", message: "No answer came within five minutes", fix };
  const said = typed.text.trim().toLowerCase().split(/\s+/).join(" ");
  if (said === "") return { code: "answer-empty", message: "An empty answer is none", fix };
  return said === words
    ? undefined
    : { code: "challenge-failed", message: "These were not the words", fix };
}

async function sign(
  signatures: Signatures,
  shown: Shown,
  named: string | undefined,
): Promise<Confirmed> {
  const known = readSigners(shown.signers);
  const own = await signatures.keys();
  const mine = own.flatMap((key): readonly Mine[] =>
    linesFor(key, known, signatures.fingerprint).map(({ names }) => ({ key, names })),
  );
  const found = pick(mine, shown.name, named);
  if (found === undefined)
    return refused({
      code: "signer-unknown",
      message:
        known.signers.length + known.authorities.length === 0
          ? "Nobody's key counts here: the protected branch has no policy with keys"
          : `None of your keys counts here${named === undefined ? "" : `, and not ${named}`}`,
      fix: remedy("keys", {}, "Set your key up, and let it be committed"),
    });
  if (found.others.length > 0)
    return refused({
      code: "signer-ambiguous",
      message: `${found.others.length + 1} of your keys count here under ${[...new Set([found, ...found.others].map((one) => one.by))].join(", ")}`,
      fix: `Say which of them signs: ${[found, ...found.others].map(({ key }) => `--key ${key.file}`).join(", or ")}.`,
    });
  const { key, by } = found;
  const tty: Pick<Tty, "write" | "close"> = openTty() ?? {
    write: (text) => err.write(printable(text)),
    close: () => undefined,
  };
  tty.write(`\n${cardText(shown)}\n\nSigning as ${by} with ${key.file}\n`);
  tty.close();
  const statement = shown.statement(by);
  const made = await signatures.sign(statement, key.file);
  if (made.kind === "signed")
    return { kind: "confirmed", by, statement, signature: made.signature };
  const { code, message, fix } = made;
  return refused({ code, message, fix });
}

interface Mine {
  readonly key: OwnKey;
  readonly names: readonly string[];
}

interface Picked {
  readonly key: OwnKey;
  readonly by: string;
  /** Keys and names that fit as well. The person must choose between them. */
  readonly others: readonly Omit<Picked, "others">[];
}

/** The keys and names that fit what was given, among those that count. */
function pick(mine: readonly Mine[], name: string, named: string | undefined): Picked | undefined {
  const plain = named?.replace(/^~\//, "").replace(/\.pub$/, "");
  const fit = mine.filter(({ key }) => {
    // If an agent program or a device holds the private key, only the public half is a file.
    const file = key.file.replace(/\.pub$/, "");
    return plain === undefined || file === plain || file.endsWith(`/${plain}`);
  });
  const own = fit.filter(({ names }) => names.includes(name));
  const signing = (own.length > 0 ? own : fit.filter(({ names }) => names.length > 0)).map(
    ({ key, names }) => ({ key, by: names.includes(name) ? name : (names[0] ?? "") }),
  );
  const [first, ...rest] = signing;
  if (first === undefined) return undefined;
  return { ...first, others: rest.filter(({ key }) => key.file !== first.key.file) };
}
