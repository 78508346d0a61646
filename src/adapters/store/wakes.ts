/** Wakes whoever waits for the journal when a file in a directory changes, as far as the system tells. */
import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import type { Wake, Wakes } from "../../ports/wakes.ts";

export function createWakes(directory: string): Wakes {
  return { open: () => openWake(directory) };
}

function openWake(directory: string): Wake {
  let isDue = false;
  let rouse: (() => void) | undefined;
  const watcher = watchIfPossible(directory, () => {
    isDue = true;
    rouse?.();
  });
  return {
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
    close: () => watcher?.close(),
  };
}

/** Too many watchers, a directory that is not there yet: then only the time wakes. */
function watchIfPossible(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
