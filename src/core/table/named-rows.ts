import type { Machine, Move } from "./protocol.ts";

/** The rows of a machine, sorted for lookup: the automatic ones, and the others by name. */
export interface NamedRows {
  readonly auto: readonly Move[];
  readonly named: ReadonlyMap<string, readonly Move[]>;
}

const known = new WeakMap<Machine, NamedRows>();

/** Computed once for each machine, so that a table of ten thousand rows is not searched with every command. */
export function namedRows(machine: Machine): NamedRows {
  const found = known.get(machine);
  if (found !== undefined) return found;
  const named = new Map<string, Move[]>();
  for (const move of machine.moves.filter((one) => one.auto !== true)) {
    const rows = named.get(move.id) ?? [];
    rows.push(move);
    named.set(move.id, rows);
  }
  const rows = { auto: machine.moves.filter((one) => one.auto === true), named };
  known.set(machine, rows);
  return rows;
}
