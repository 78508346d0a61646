/** The first day, from the README alone: to a held workflow of each family, and through it to its end, at 80 columns. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { renderTaskMd } from "../task-md.ts";
import { BIN, bareDirectory } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import * as plugin from "../e2e/plugin.ts";
import { PLAN } from "../e2e/task.ts";
import { REPORT, TeamSession } from "../e2e/team.ts";
import { NO_TERMINAL } from "./terminal.ts";
import { openUser } from "./user.ts";
import type { User } from "./user.ts";

const README = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");

/** The commands of the README's block in which this stands, without their remarks. */
function commandsOf(word: string): readonly string[] {
  const [block = ""] = [...README.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, text = ""]) => text)
    .filter((text) => text.includes(word));
  return block
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

const users: User[] = [];
afterAll(() => {
  for (const { terminal } of users) terminal.close();
});

/** An empty folder with git in it, a shell, and `holdpoint` on its PATH. */
async function newcomer(): Promise<{ readonly user: User; readonly scratch: Scratch }> {
  const scratch = bareDirectory();
  const bin = join(scratch.top, "../bin");
  mkdirSync(bin);
  symlinkSync(BIN, join(bin, "holdpoint"));
  scratch.git("init", "--quiet", "--template=", "--initial-branch=main");
  scratch.git("config", "user.name", "Ada");
  scratch.git("config", "user.email", "ada@example.org");
  const { NO_COLOR: _, ...env } = scratch.env;
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  const user = await openUser({ cwd: scratch.top, env: { ...env, PATH: path } });
  users.push(user);
  return { user, scratch };
}

/** The tests are named; of what else is asked for, there is none. */
async function setUp(user: User): Promise<void> {
  const asks = /\[none yet\]$|\[Y\/n\]$/;
  let screen = await user.type("holdpoint init", asks);
  for (let asked = 0; !screen.endsWith("[Y/n]"); asked += 1) {
    expect(asked).toBeLessThan(5);
    screen = await user.type(screen.includes('"tests"') ? "git diff --check" : "", asks);
  }
  expect(screen).toContain('"run": ["git", "diff", "--check"]');
  const done = await user.type("y");
  expect(done).toContain("✓ Wrote holdpoint.config.json");
  expect(done).toContain("To undo it: rm holdpoint.config.json");
  const commit = /^ {4}(git add .*)$/m.exec(done)?.[1] ?? "";
  await user.type(commit);
}

/** The agent's answer, as the README's `my-agent` prints it. */
function reportFile(scratch: Scratch, text: string): string {
  scratch.write("../report.json", text);
  return join(scratch.top, "../report.json");
}

// Nothing can be typed where there is no terminal to type into; the name of the suite then says what is missing.
describe.skipIf(NO_TERMINAL !== undefined)(`at 80 columns (${NO_TERMINAL ?? "tmux"})`, () => {
  test("a plugin", async () => {
    const { user, scratch } = await newcomer();
    const [, init, start, advance, report, answer, status] = commandsOf("start TapeDelay");
    expect(init).toBe("holdpoint init");
    await setUp(user);
    const started = await user.type(start ?? "");
    expect(started).toContain("✓ Started TapeDelay");
    for (const file of ["creative-brief.md", "parameter-spec.md"]) {
      expect(started).toContain(file);
      scratch.write(plugin.ideas(file), `# ${file}\n\nA warm tape delay.\n`);
    }
    expect(await user.type(advance ?? "")).toContain("Order for research-planning-agent (W-1)");
    plugin.doWork(scratch, "0");
    const file = reportFile(scratch, plugin.reportText("0"));
    const held = await user.type((report ?? "").replace("my-agent", `cat ${file}`));
    expect(held).toContain("What's next?");
    expect(held).toContain("1. Build the foundation (recommended)");
    expect(await user.type(answer ?? "")).toContain("Order for foundation-shell-agent (W-2)");
    expect(await user.type(status ?? "")).toContain("foundation-shell-agent");
    const stages: Readonly<Record<string, string>> = {
      "foundation-shell-agent": "2",
      "dsp-agent": "3",
      "gui-agent": "4",
    };
    const end = await user.followTo(/✅ Working/, {
      workflow: plugin.NAME,
      work: (role) => {
        plugin.doWork(scratch, stages[role] ?? "");
        return reportFile(scratch, plugin.reportText(stages[role] ?? ""));
      },
      mend: (screen) => {
        const missing = [...screen.matchAll(/plugins\/TapeDelay\/[\w./-]+\w/g)];
        for (const [path] of missing)
          scratch.write(
            path.endsWith("Presets") ? `${path}/Default.xml` : path.replace("v*", "v1"),
            `# ${path}\n`,
          );
        if (screen.includes("mockups")) plugin.writeMockup(scratch);
        return missing.length > 0;
      },
    });
    expect(end).toContain("✓ Committed");
  });

  test("a team session", async () => {
    const { user, scratch } = await newcomer();
    await setUp(user);
    const [start, advance, report, watch] = commandsOf("--goal");
    expect(await user.type(start ?? "")).toContain("✓ Started");
    const [id = ""] = readdirSync(join(scratch.top, ".agents-work"));
    const session = new TeamSession(scratch, id);
    const play = (role: string): string => reportFile(scratch, session.play(role));
    expect(await user.type(advance ?? "")).toContain("Order for SpecAgent (W-1)");
    const file = play("SpecAgent");
    await user.type((report ?? "").replace("my-agent", `cat ${file}`));
    await user.terminal.type(watch ?? "", /DESIGN/);
    user.terminal.press("C-c");
    await user.terminal.settled();
    const [, name = ""] = /advance (\S+)/.exec(advance ?? "") ?? [];
    const end = await user.followTo(/^\S+ {2}Done$/m, {
      workflow: name,
      work: play,
      choose: { APPROVE_DESIGN: "approved", "per batch": "per-batch" },
      mend: (screen) => {
        if (screen.includes("report.md")) session.file("report.md", REPORT);
        return /report\.md|not run on what is there now/.test(screen);
      },
    });
    expect(end).toContain("Done");
  });

  test("a task", async () => {
    const { user, scratch } = await newcomer();
    const [, entry = ""] = /^```md\n(- \[ \] [\s\S]*?)^```$/m.exec(README) ?? [];
    scratch.write("todo.md", `# Tasks\n\n${entry}`);
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "A task");
    await setUp(user);
    const [start, enter, advance, audit] = commandsOf("start add-parser");
    expect(await user.type(start ?? "")).toContain("✓ Started add-parser");
    await user.type(enter ?? "");
    const id = "add-parser";
    const home = `.holdpoint/tasks/${id}`;
    const write = (): void => {
      const inScope = ["docs/parser.md"];
      const md = renderTaskMd({ task: id, objective: "Say it.", inScope, outOfScope: [] });
      scratch.write(`${home}/task.md`, `${md}${PLAN(inScope)}`);
    };
    const commit = (): void => {
      scratch.write(`${home}/code/docs/parser.md`, "# Lines\n\nBlank ones are skipped.\n");
      scratch.git("-C", `${home}/code`, "add", ".");
      scratch.git("-C", `${home}/code`, "commit", "--quiet", "-m", "Say how lines are read");
    };
    await user.type(advance ?? "");
    const end = await user.followTo(/Finished {2}CLEANUP/, {
      workflow: id,
      work: (role) => {
        throw new Error(`Nobody plays ${role}`);
      },
      mend: (screen) => {
        if (screen.includes("task.md does not exist")) write();
        else if (screen.includes("docs/parser.md")) commit();
        else if (screen.includes("Leave the task's worktrees"))
          return `cd '${scratch.top}' && holdpoint advance ${id}`;
        else if (screen.includes("add-parser close")) return true;
        else return false;
        return true;
      },
    });
    expect(end).toContain("merged to main");
    expect(await user.type(audit ?? "")).toContain("PASSED");
  });
});
