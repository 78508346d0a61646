/** One thing that was looked at. `unknown` is what works, and is not as it should be. */
export interface Finding {
  readonly check: string;
  readonly state: "proven" | "failed" | "unknown";
  readonly said: string;
  readonly fix?: string;
}
