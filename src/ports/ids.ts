/** Names that are unique and cannot be guessed: 128 random bits, written in `[0-9a-z]`. */
export interface Ids {
  readonly next: () => string;
}
