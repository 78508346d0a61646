import { join } from "node:path";
import type { Blobs } from "../../ports/blobs.ts";
import type { Refusals } from "../../ports/refusals.ts";
import type { Shown } from "../../ports/shown.ts";
import type { Wakes } from "../../ports/wakes.ts";
import type { Watches } from "../../ports/watches.ts";
import { createBlobs } from "./blobs.ts";
import { createRefusals } from "./refusals.ts";
import { createShown } from "./shown.ts";
import { createWakes } from "./wakes.ts";
import { createWatches } from "./watches.ts";

/** What the store keeps besides the journals. */
export interface Beside {
  readonly wakes: Wakes;
  readonly watches: Watches;
  readonly blobs: Blobs;
  readonly shown: Shown;
  readonly refusals: Refusals;
}

export function createBeside(
  dir: string,
  gitDir: string | undefined,
  onStep: (step: string) => void,
): Beside {
  return {
    wakes: createWakes(join(dir, "journals")),
    watches: createWatches(dir, gitDir),
    blobs: createBlobs(join(dir, "blobs")),
    shown: createShown(join(dir, "shown"), onStep),
    refusals: createRefusals(join(dir, "refusals")),
  };
}
