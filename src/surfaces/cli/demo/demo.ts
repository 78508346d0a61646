import { openStage } from "./stage.ts";
import type { RunOptions, Stage } from "./stage.ts";
import { style } from "../terminal/style.ts";
import type { Reply } from "../verb.ts";

const PLUGIN = "EchoBox";
/** How often a menu is shown again after a wrong answer. */
const ANSWERS_MAX = 20;

/**
 * Plays a whole plugin workflow with agents that lie, exaggerate, tamper and die, and shows how each is caught.
 */
export async function runDemo(args: readonly string[]): Promise<Reply> {
  const interactive = process.stdin.isTTY && process.stdout.isTTY && !args.includes("--auto");
  const stage = openStage(PLUGIN, interactive);
  const failed = play(stage);
  const text = failed === undefined ? "" : `The demo stopped: ${failed}`;
  return {
    exit: failed === undefined ? 0 : 1,
    json: { ok: failed === undefined, directory: stage.root },
    text,
  };
}

function play(stage: Stage): string | undefined {
  opening(stage);
  const acts = [plan, lie, boastAndTamper, dieHalfWay, finishUp];
  for (const act of acts) {
    const failed = act(stage);
    if (failed !== undefined) return failed;
  }
  closing(stage);
  return undefined;
}

function opening({ say, root, interactive }: Stage): void {
  const { bold, dim } = style();
  say(bold("Holdpoint: workflows that agents cannot skip, fake or lose"), "");
  say(
    "A plugin goes from idea to installed. Its agents are real processes; some of them misbehave.",
  );
  say(
    interactive
      ? "You are the person: answer the menus as you like."
      : "No terminal here, so the demo answers its own menus, and says so.",
  );
  say(dim(`Everything happens in ${root}`));
}

function plan(stage: Stage): string | undefined {
  stage.heading("An honest agent plans");
  stage.holdpoint(["start", PLUGIN, "--brief", "A warm delay", "--protocol", "plugin-workflow"]);
  stage.holdpoint(["advance", PLUGIN], { only: /Order|You are/ });
  if (report(stage, "plan") !== 11) return "the plan was not accepted";
  stage.heading("An agent tries to approve its own work");
  const exit = stage.holdpoint(["answer", PLUGIN, "1"], { env: { CLAUDECODE: "1" } });
  if (exit !== 10) return "an agent could answer for a person";
  caught(stage, "Only a person releases a hold.");
  return answer(stage, "continue", HANDED_OUT);
}

const HANDED_OUT: RunOptions = { only: /Order for|You are/ };

function lie(stage: Stage): string | undefined {
  stage.heading("An agent lies about its state");
  stage.say("It reports that it updated both state files. It wrote neither.");
  if (report(stage, "lie") !== 11) return "the report was not handled";
  caught(
    stage,
    "The claim was compared with the files; Holdpoint wrote what was missing, and the commit holds code and state.",
  );
  return answer(stage, "continue", HANDED_OUT);
}

function boastAndTamper(stage: Stage): string | undefined {
  stage.heading("An agent claims work it has not done");
  if (report(stage, "boast") !== 10) return "a report about a missing file was accepted";
  caught(stage, "Nothing moved: a file it names does not exist.");
  stage.heading("An agent edits a sealed contract");
  stage.say("It adds a line to plan.md: its phase needs no tests after all.");
  if (report(stage, "tamper") !== 11) return "the changed contract was not noticed";
  caught(stage, "The seal is broken, so the report waits and a person is asked.");
  return (
    answer(stage, "restore") ?? answer(stage, "continue") ?? answer(stage, "continue", HANDED_OUT)
  );
}

function dieHalfWay(stage: Stage): string | undefined {
  stage.heading("An agent dies half-way");
  const output = stage.agent("die");
  if (output !== undefined) return "the agent survived";
  stage.say("The agent was killed. It left half a file and no report.", "");
  stage.holdpoint(["status", PLUGIN], { only: /at work|lease|Audio/ });
  caught(stage, "Nothing counts as done, and nothing is forgotten: the work is still out.");
  if (stage.holdpoint(["advance", PLUGIN, "cancel", "--reason", "the agent died"]) !== 0)
    return "the dispatch could not be cancelled";
  stage.holdpoint(["advance", PLUGIN], HANDED_OUT);
  if (report(stage, "modulate") !== 11) return "the second agent's report was not accepted";
  return undefined;
}

function finishUp(stage: Stage): string | undefined {
  stage.heading("The rest of the way");
  const failed = answer(stage, "headless", HANDED_OUT);
  if (failed !== undefined) return failed;
  if (report(stage, "editor") !== 11) return "the editor was not accepted";
  const validated = answer(stage, "continue");
  if (validated !== undefined) return validated;
  if (stage.holdpoint(["advance", PLUGIN]) !== 11) return "validation did not pass";
  return answer(stage, "continue");
}

function closing(stage: Stage): void {
  const { bold, dim } = style();
  stage.heading("What is left");
  stage.holdpoint(["verify", "--all"]);
  stage.holdpoint(["audit", PLUGIN], {
    only: /→|answered|sealed plugins.*(?:restored|finish)|records/,
  });
  stage.say(
    "",
    bold("Look for yourself:"),
    `  cd ${stage.root}`,
    "  git log --stat",
    "  cat PLUGINS.md",
    `  cat plugins/${PLUGIN}/.ideas/plan.md`,
    dim("  The journal is in .git/holdpoint/journals."),
  );
}

function report(stage: Stage, behaviour: string): number {
  const output = stage.agent(behaviour);
  return stage.holdpoint(["report", PLUGIN, "-"], { input: output ?? "" });
}

function caught({ say }: Stage, sentence: string): void {
  say("", style().good(`  ▸ Caught. ${sentence}`));
}

/**
 * Lets the person answer until the open question is settled. In automatic mode, gives the answer and prints it.
 */
function answer(stage: Stage, choice: string, options: RunOptions = {}): string | undefined {
  stage.say("");
  if (!stage.interactive) {
    stage.say(style().dim(`  (the demo answers: ${choice})`));
    const exit = stage.holdpoint(["answer", PLUGIN, choice], options);
    return exit === 0 || exit === 11 ? undefined : `the answer ${choice} was refused`;
  }
  stage.say(style().dim(`  (the story goes on with "${choice}")`));
  for (let tries = 0; tries < ANSWERS_MAX; tries += 1) {
    const exit = stage.holdpoint(["answer", PLUGIN]);
    if (exit === 0 || exit === 11) return undefined;
  }
  return "no answer was given";
}
