/**
 * Who comes next, inside one process: work under one name is done one after the other, in the order it was
 * asked for. Between processes nobody waits in line; there the journal says who was first.
 */
export interface Turns {
  readonly take: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take: async (name, work) => {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work);
      const ended = mine.then(nothing, nothing);
      last.set(name, ended);
      try {
        return await mine;
      } finally {
        // Nobody came after: a name that is no longer used costs no memory.
        if (last.get(name) === ended) last.delete(name);
      }
    },
  };
}

/** Two engines of one process on one store wait for each other too: to others they are one process. */
export function sharedTurns(store: string): Turns {
  const turns = SHARED.get(store) ?? createTurns();
  SHARED.set(store, turns);
  return turns;
}

const SHARED = new Map<string, Turns>();

function nothing(): void {}
