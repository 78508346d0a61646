/** Two opinions side by side: what one names the other names too, but for the rows of a ledger that say why not. */
import { type Objection, objection } from "./opinion.ts";

/** What Holdpoint says, as `verify --json` answers it. */
export interface Verdict {
  readonly exit: number;
  readonly findings: readonly Found[];
}

export interface Found {
  readonly code: string;
  readonly file: string;
  readonly message: string;
}

/**
 * A row of a ledger's list of contradictions and gaps, by which the two rightly differ. Without either function it is
 * about something that `verify` does not answer, and a test says when it was needed.
 */
export interface Exception<Files> {
  readonly row: string;
  readonly because: string;
  /** The sources object, and Holdpoint rightly does not. */
  readonly drops?: (objection: Objection, files: Files) => boolean;
  /** Holdpoint objects, and the sources do not: the check that should have. */
  readonly adds?: (found: Found, files: Files) => string | undefined;
}

export interface Opinion<Files> {
  readonly files: Files;
  readonly objections: readonly Objection[];
  readonly verdict: Verdict;
  /** The files hold together, and only the journal knows that what they say never happened. */
  readonly onlyJournal?: boolean | undefined;
  /** The command was killed: it may have been recorded and not yet shown. */
  readonly killed?: boolean;
}

/** Something that Holdpoint finds by its journal, which no outsider can read. */
const BY_JOURNAL = "state-mismatch";

/** What it tells by bytes that it measured before; it is no objection, and outsiders have nothing to compare. */
const MEASURED = "changed-since";

export interface Compared {
  /** Everything one side names and the other does not, in words. */
  readonly differences: readonly string[];
  /** What is objected to, all rows considered. */
  readonly objections: readonly Objection[];
  /** Nothing is, and the journal knows nothing else either. */
  readonly sound: boolean;
}

/** The exceptions of one family, and which of them were needed. */
export class Exceptions<Files> {
  readonly #rows: readonly Exception<Files>[];
  readonly #speaksOf: (found: Found, objection: Objection) => boolean;
  readonly #used = new Set<Exception<Files>>();

  constructor(
    rows: readonly Exception<Files>[],
    speaksOf: (found: Found, objection: Objection) => boolean,
  ) {
    this.#rows = rows;
    this.#speaksOf = speaksOf;
  }

  compare({ files, objections, verdict, ...opinion }: Opinion<Files>): Compared {
    const findings = verdict.findings.filter(({ code }) => code !== MEASURED);
    const behind = opinion.killed === true && findings.some(({ code }) => code === BY_JOURNAL);
    const onlyJournal = opinion.onlyJournal === true || behind;
    const accounted = objections.length > 0 || onlyJournal;
    const heard = objections.filter((one) => findings.some((found) => this.#speaksOf(found, one)));
    // A row is needed only where Holdpoint is in fact silent.
    const silent = objections.filter((one) => !heard.includes(one) && !this.#isDropped(one, files));
    const alone = findings.filter(
      (found) =>
        !(found.code === BY_JOURNAL && accounted) &&
        !objections.some((one) => this.#speaksOf(found, one)),
    );
    const added = alone.map((found) => ({ found, check: this.#added(found, files) }));
    const standing = [
      ...heard,
      ...silent,
      ...added.flatMap(({ found, check }) =>
        check === undefined ? [] : [objection(check, found.message)],
      ),
    ];
    return {
      objections: standing,
      sound: standing.length === 0 && !onlyJournal,
      differences: [
        ...silent.map(({ check, why }) => `only the sources object (${check}): ${why}`),
        ...added.flatMap(({ found: { code, file, message }, check }) =>
          check === undefined ? [`only Holdpoint objects (${code} in ${file}): ${message}`] : [],
        ),
      ],
    };
  }

  #isDropped(one: Objection, files: Files): boolean {
    const rows = this.#rows.filter((row) => row.drops?.(one, files) === true);
    for (const row of rows) this.#used.add(row);
    return rows.length > 0;
  }

  #added(found: Found, files: Files): string | undefined {
    for (const row of this.#rows) {
      const check = row.adds?.(found, files);
      if (check === undefined) continue;
      this.#used.add(row);
      return check;
    }
    return undefined;
  }

  use(row: string): void {
    for (const one of this.#rows) if (one.row === row) this.#used.add(one);
  }

  /** Rows by which nothing differs any more. */
  unneeded(): readonly string[] {
    return this.#rows
      .filter((row) => !this.#used.has(row))
      .map(({ row, because }) => `${row} is no longer needed: ${because}`);
  }
}
