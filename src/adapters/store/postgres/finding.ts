/** The result of one examination. `unknown` means that it works but is not as it should be. */
export interface Finding {
  readonly check: string;
  readonly state: "proven" | "failed" | "unknown";
  readonly said: string;
  readonly fix?: string;
}
