/**
 * The long races: `HOLDPOINT_RACE=full` runs the whole numbers, `HOLDPOINT_RACE=40` forty rounds of each kind. Both say how
 * far they are, because an hour without a word looks like a hang.
 */
const asked = process.env["HOLDPOINT_RACE"] ?? "";

export const LONG: boolean = asked !== "";
export const MS_MAX: number = LONG ? 3_600_000 : 180_000;

/** How many rounds; `few` where no long race was asked for. */
export function roundsOf(full: number, few: number): number {
  if (!LONG) return few;
  const rounds = asked === "full" ? full : Number(asked);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new Error(`HOLDPOINT_RACE is "full" or a number of rounds, not "${asked}"`);
}

/** The numbers of the rounds, each told when it begins, and all when they are over. */
export function* counted(name: string, rounds: number): Generator<number, void> {
  const start = Date.now();
  const say = (words: string): void => {
    const seconds = Math.round((Date.now() - start) / 1000);
    if (LONG) process.stderr.write(`race: ${name}: ${words}, ${seconds} s\n`);
  };
  for (let round = 1; round <= rounds; round += 1) {
    if (round === 1 || round % TOLD_EVERY === 0) say(`round ${round} of ${rounds}`);
    yield round;
  }
  say(`${rounds} of ${rounds} rounds held`);
}

const TOLD_EVERY = 10;
