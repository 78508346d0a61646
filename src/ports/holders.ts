/** Which process carries an effect out: the one that wanted it, or the last that took it over from a dead one. */
export interface Holders {
  readonly of: (effect: string, wantedBy: string) => string;
  /** Of two that take over from the same process one gets it. */
  readonly take: (effect: string, from: string, by: string) => boolean;
  /** It is settled: who carried it out is in the journal. */
  readonly forget: (effect: string) => void;
}
