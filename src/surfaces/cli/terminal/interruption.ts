import type { Terminal } from "../verb.ts";

/** Turns Ctrl-C into a flag, so that what is being shown can end cleanly. */
export function interruption(): Pick<Terminal, "interrupted" | "pause"> {
  let over = false;
  let listening = false;
  let wake = (): void => undefined;
  const stop = (): void => {
    over = true;
    wake();
  };
  const listen = (): void => {
    if (listening) return;
    listening = true;
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    process.stdout.once("error", stop);
  };
  return {
    interrupted: () => {
      listen();
      return over;
    },
    pause: async (ms) => {
      if (over) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
