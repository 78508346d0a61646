import { benchEngine } from "./engine.ts";
import { benchJournal } from "./journal.ts";
import { benchStart } from "./start.ts";
import { benchTaskChecks } from "./task-checks.ts";
import { benchTokens } from "./tokens.ts";

/** Every figure is printed with what it is measured against in the same run. Tests never assert times. */
const BENCHES: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = {
  journal: benchJournal,
  engine: benchEngine,
  start: benchStart,
  tokens: benchTokens,
  "task-checks": benchTaskChecks,
};

const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  await bench((line) => process.stdout.write(`  ${line}\n`));
}
