import { storiesOf } from "../../../engine/prove/story.ts";
import { find } from "../../../engine/engine.ts";
import { eventsOf, streamOf } from "../../../engine/parts.ts";
import { refusedAnswer } from "../../../operations/parts/answers.ts";
import type { Answer } from "../../../operations/operation.ts";
import { status } from "../../../operations/status.ts";
import type { StatusAnswer } from "../../../operations/status.ts";
import { safe, style } from "../terminal/style.ts";
import type { Call } from "../verb.ts";
import { clock } from "./watch.ts";

const LOOK_MS = 1000;
const MOVED_MAX = 8;

/** A workflow on one page that is drawn anew as it moves, until Ctrl-C; the last page stays. */
export async function watchScreen(
  call: Call,
  workflow: string,
  draw: (answer: StatusAnswer) => string,
): Promise<Answer> {
  const { context, terminal } = call;
  const first = await find(context.parts, workflow);
  if (first.kind === "refused") return refusedAnswer(first.refusals);
  const stream = streamOf(first.family, workflow);
  const screen = terminal.screen();
  const moved: string[] = [];
  let seen = first.state.seq;
  let before: StatusAnswer | undefined;
  try {
    while (!terminal.interrupted()) {
      const answer = await status.run(context, { workflow });
      if (!("details" in answer)) return answer;
      const records = await context.parts.journal.read(stream, seen);
      seen = records.at(-1)?.seq ?? seen;
      for (const record of records)
        for (const line of storiesOf([{ events: eventsOf(record) }]).flat())
          moved.push(`  ${clock(record.at)}  ${safe(line)}`);
      screen.draw([draw(settled(answer, before)), ...movedLines(moved)].join("\n"));
      before = answer;
      await terminal.pause(LOOK_MS);
    }
  } finally {
    screen.close();
  }
  return before ?? { ok: true };
}

/** While a step is being written its files are behind the journal: only what lasts is somebody's edit. */
function settled(answer: StatusAnswer, before: StatusAnswer | undefined): StatusAnswer {
  const lasts = before !== undefined && before.seq === answer.seq;
  return {
    ...answer,
    drift: lasts ? answer.drift.filter((one) => before.drift.includes(one)) : [],
  };
}

function movedLines(moved: readonly string[]): readonly string[] {
  const { bold, dim } = style();
  return [
    ...(moved.length === 0 ? [] : ["", bold("Moved"), ...moved.slice(-MOVED_MAX)]),
    "",
    dim("Ctrl-C ends it"),
  ];
}
