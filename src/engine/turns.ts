/**
 * Takes turns inside one process: work under the same name runs one after the other, in the order it was asked
 * for. Between processes there is no queue; the journal decides who was first.
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
        // Nothing is waiting, so the name can be forgotten.
        if (last.get(name) === ended) last.delete(name);
      }
    },
  };
}

/** Two engines in one process on one store take turns too, because to other processes they are one. */
export function sharedTurns(store: string): Turns {
  const turns = SHARED.get(store) ?? createTurns();
  SHARED.set(store, turns);
  return turns;
}

const SHARED = new Map<string, Turns>();

function nothing(): void {}
