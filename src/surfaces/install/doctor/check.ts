/** The result of one test: proven, failed, or impossible to find out from here. */
export interface Check {
  readonly client?: string;
  readonly check: string;
  readonly state: "proven" | "failed" | "unknown";
  readonly said: string;
  readonly fix?: string;
}

export function proven(check: string, said: string): Check {
  return { check, state: "proven", said };
}

export function failed(check: string, said: string, fix: string): Check {
  return { check, state: "failed", said, fix };
}

export function unknown(check: string, said: string, fix?: string): Check {
  return { check, state: "unknown", said, ...(fix === undefined ? {} : { fix }) };
}
