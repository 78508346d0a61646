import { describe, expect, test } from "vitest";
import { story } from "../../../test/story.ts";
import { repository, worldOf } from "../../../test/fixtures/task-protocol/places.ts";
import { AGENT, atApproval, codes, PERSON } from "../../../test/fixtures/task-protocol/world.ts";
import { parseMainLock } from "./files/main-lock.ts";
import { mainFamily, mainOwner } from "./main-family.ts";
import { mainProtocol } from "./table/main-protocol.ts";

describe("the main worktree's lease", () => {
  const taken = (owner: string | null = null) =>
    story(mainProtocol, { workflow: "main", facts: { "main-lock-file": owner } }).when(
      { type: "workflow.start", workflow: "main", vars: {} },
      AGENT,
    );
  const use = (operation: string) =>
    ({ type: "unit.move", unit: ".", move: "use", input: { operation } }) as const;

  test("[TP-038] [TP-039] the first one has it; an operation nobody knows is refused", () => {
    const one = taken();
    expect(one.state.lease?.session).toBe("s-1");
    expect(codes(one.when(use("hotfix"), AGENT))).toEqual(["operation-unknown"]);
    expect(codes(one.when(use("git-operation"), AGENT))).toEqual(["accepted"]);
    expect(one.state.vars["operation_type"]).toBe("git-operation");
  });

  test("[TP-037] [TP-038] [TP-041] its file is there while somebody has it; a lock of another program counts", async () => {
    const one = taken();
    const [view] = mainFamily.views({ ...one.state, vars: { ...one.state.vars, root: "tasks" } });
    const shown = view?.render(null);
    expect(parseMainLock(shown?.kind === "text" ? shown.text : "").problems).toEqual([]);
    one.when({ type: "lease.release" }, AGENT);
    expect(mainFamily.views(one.state)[0]?.render("{}")).toEqual({ kind: "absent" });
    expect(codes(taken("s-9"))).toEqual(["lease-held"]);

    const repo = repository();
    expect(await mainOwner(worldOf(repo))).toBeNull();
    repo.files.set(".holdpoint/tasks/main/task.json", '{"session_id": "s-9"}');
    expect(await mainOwner(worldOf(repo))).toBe("s-9");
    repo.files.set(".holdpoint/tasks/main/task.json", "{");
    expect(await mainOwner(worldOf(repo))).toContain("somebody");
    repo.summaries = [{ protocol: "main-worktree", id: "main", session: "s-3" }];
    expect(await mainOwner(worldOf(repo))).toBe("s-3");
  });

  test("[TP-043] a task is not merged into a main worktree that another session has taken", () => {
    const one = atApproval().reply("change", "approve").given({ "main-lock": "s-9" });
    expect(codes(one.move("complete", AGENT))).toEqual(["lease-held"]);
    one.given({ "main-lock": "s-1" });
    expect(codes(one.move("complete", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-040] [TP-041] taking it twice is fine, another session is turned away with advice", () => {
    const one = taken();
    const take = { type: "lease.take", previous: "none", why: "merge" } as const;
    const before = one.state.lease;
    expect(codes(one.when(take, AGENT))).toEqual(["accepted"]);
    expect(one.state.lease).toEqual(before);
    one.when(take, { ...AGENT, session: "s-2" });
    expect(codes(one)).toEqual(["lease-held"]);
    expect(one.refusals[0]?.fix).toMatch(/\S/);
  });

  test("[TP-042] only its owner gives it back, and then it is free", () => {
    const one = taken();
    const release = { type: "lease.release" } as const;
    expect(codes(one.when(release, { ...AGENT, session: "s-2" }))).toEqual(["lease-held"]);
    one.when(release, AGENT);
    one.when({ type: "lease.take", previous: "none", why: "merge" }, { ...AGENT, session: "s-2" });
    expect(one.state.lease?.session).toBe("s-2");
    expect(codes(one.when({ type: "lease.break", reason: "gone" }, PERSON))).toEqual(["accepted"]);
  });
});
