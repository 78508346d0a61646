/** Wakes readers of the journal when a file in a directory changes, as far as the system reports that. */
import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import type { Wake, Wakes } from "../../ports/wakes.ts";

export function createWakes(directory: string): Wakes {
  return { open: () => openWake(directory) };
}

function openWake(directory: string): Wake {
  const sign = createSign();
  const watcher = watchIfPossible(directory, sign.give);
  return { wait: sign.wait, close: () => watcher?.close() };
}

export interface Sign {
  readonly give: () => void;
  readonly wait: Wake["wait"];
}

/** A signal that is kept until somebody waits for it. */
export function createSign(): Sign {
  let isDue = false;
  let rouse: (() => void) | undefined;
  return {
    give: () => {
      isDue = true;
      rouse?.();
    },
    wait: async (msMax, signal) => {
      if (!isDue && !signal.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, msMax);
          rouse = (): void => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener("abort", rouse, { once: true });
        });
      if (rouse !== undefined) signal.removeEventListener("abort", rouse);
      rouse = undefined;
      isDue = false;
    },
  };
}

/** If there are too many watchers, or the directory does not exist yet, readers only wake by time. */
function watchIfPossible(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
