import { appendFileSync } from "node:fs";

/** For tests: logs every step to a file, and dies before a given one. */
export function watchSteps(
  env: Readonly<Record<string, string | undefined>>,
): (step: string) => void {
  const die = dyingAt(env["HOLDPOINT_DIE_AT"]);
  const trace = env["HOLDPOINT_TRACE_STEPS"] ?? "";
  if (trace === "") return die;
  return (step) => {
    appendFileSync(trace, `${step}\n`);
    die(step);
  };
}

/**
 * For crash tests: dies like `kill -9` before the n-th step of that name (`view.link`, `git.index:2`). If unset,
 * as usual, it costs one comparison.
 */
function dyingAt(wanted: string | undefined): (step: string) => void {
  if (wanted === undefined || wanted === "") return () => undefined;
  const [name = "", count = "1"] = wanted.split(":");
  let left = Number(count);
  return (step) => {
    if (step !== name && name !== "*") return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}
