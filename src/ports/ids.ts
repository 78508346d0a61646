/** Names nobody can guess and nobody else gets: 128 random bits, `[0-9a-z]` only. */
export interface Ids {
  readonly next: () => string;
}
