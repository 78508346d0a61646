/** Copy-on-write updates of ledgers. A copy made here is still private, so later changes may write to it. */
export interface Ledgers {
  readonly put: <T>(ledger: Ledger<T>, key: string, value: T) => Ledger<T>;
  readonly drop: <T>(ledger: Ledger<T>, key: string) => Ledger<T>;
}

type Ledger<T> = Readonly<Record<string, T>>;

export function createLedgers(): Ledgers {
  const copies = new WeakSet();
  const copyOf = <T>(ledger: Ledger<T>): Record<string, T> => {
    if (copies.has(ledger)) return ledger;
    const copy = { ...ledger };
    copies.add(copy);
    return copy;
  };
  return {
    put: (ledger, key, value) => {
      // Assigning to this name would replace the object's prototype.
      if (key === "__proto__") return { ...ledger, [key]: value };
      const copy = copyOf(ledger);
      copy[key] = value;
      return copy;
    },
    drop: (ledger, key) => {
      const copy = copyOf(ledger);
      delete copy[key];
      return copy;
    },
  };
}
