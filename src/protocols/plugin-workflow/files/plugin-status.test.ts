import fc from "fast-check";
import { expect, test } from "vitest";
import { formatStatus, isWritableStatus, parseStatus, sameStatus } from "./plugin-status.ts";

test.each([
  ["🚧 Stage 4", "stage", 4, undefined, "🚧", "Stage 4"],
  ["🚧 Stage 4.1", "stage", 4, "4.1", "🚧", "Stage 4.1"],
  ["🚧 Stage 3.10", "stage", 3, "3.10", "🚧", "Stage 3.10"],
  ["✅ Working", "working", undefined, undefined, "✅", "Working"],
  ["✅ Working (Headless)", "working-headless", undefined, undefined, "✅", "Working (Headless)"],
  ["📦 Installed", "installed", undefined, undefined, "📦", "Installed"],
  [
    "💡 Ideated (Draft Params)",
    "ideated-draft",
    undefined,
    undefined,
    "💡",
    "Ideated (Draft Params)",
  ],
  ["🚧 Improving", "improving", undefined, undefined, "🚧", "Improving"],
  ["🗑️ Archived", "archived", undefined, undefined, "🗑", "Archived"],
])("[PW-038] %s is %s", (written, id, ...rest) => {
  const [stage, phase, emoji, text] = rest;
  expect(parseStatus(written)).toEqual({ id, stage, phase, emoji, text, hasIssues: false });
});

test.each([
  ["🎵 Processing Audio", "stage", 3],
  ["🔨 Building System", "stage", 2],
  ["🎨 Designing Interface", "stage", 4],
  ["✅ Validating", "stage", 5],
  ["🔬 Researching", "stage", 0],
  ["✅ Ready to Install", "working", undefined],
  ["💡 Concept Ready", "ideated", undefined],
])("[PW-178] the milestone %s is %s %s", (text, id, stage) => {
  const status = parseStatus(text);
  expect([status.id, status.stage]).toEqual([id, stage]);
});

test.each([["🚧 **Stage 4.1**"], ["🚧 __Stage 4.1__"], ["🚧 *Stage 4.1*"], ["**🚧 Stage 4.1**"]])(
  "[PW-039] marks in %s are ignored",
  (text) => {
    expect(parseStatus(text).phase).toBe("4.1");
  },
);

test.each([
  ["🚧 Stage 4 (Phase 4.1 complete)", "stage", 4, "4.1"],
  ["🚧 Stage 4 (Complete)", "stage", 4, undefined],
  ["💡 Ideated (UI mockup complete)", "ideated", undefined, undefined],
  ["💡 Ideated (Paused at Stage 2)", "unknown", undefined, undefined],
  ["✅ Stage 3", "unknown", undefined, undefined],
  ["🚧 Stage 9", "unknown", undefined, undefined],
  ["🚧 Stage 30", "unknown", undefined, undefined],
  ["", "unknown", undefined, undefined],
])("old and odd texts: %s is %s", (text, id, stage, phase) => {
  const status = parseStatus(text);
  expect([status.id, status.stage, status.phase]).toEqual([id, stage, phase]);
});

test("known issues are a remark beside the status", () => {
  const status = parseStatus("📦 Installed 🐛 Has Issues");
  expect([status.id, status.hasIssues]).toEqual(["installed", true]);
});

test.each([
  ["🚧 Stage 3.1", "🚧 Stage 31", false],
  ["✅ Stage 3", "🚧 Stage 3", false],
  ["📦 **Installed**", " 📦 Installed ", true],
  ["🗑️ Archived", "🗑 Archived", true],
])("[PW-027] %s against %s: same is %s", (a, b, same) => {
  expect(sameStatus(a, b)).toBe(same);
});

test.each([
  ["🚧 Stage 9"],
  ["🚧 Stage 1"],
  ["🚧 Stage 2.1"],
  ["🚧 Stage 3.0"],
  ["soon"],
  ["🚧 **Stage 2**"],
  ["🎵 Processing Audio"],
])("[PW-033] %s may not be written", (text) => {
  expect(isWritableStatus(text)).toBe(false);
});

test("[PW-178] what is written is read back as the same place", () => {
  const place = fc.oneof(
    fc.record({
      id: fc.constant("stage" as const),
      stage: fc.constantFrom(0, 2, 3, 4, 5),
      phase: fc.constant(undefined),
    }),
    fc
      .tuple(fc.constantFrom(3, 4), fc.integer({ min: 1, max: 99 }))
      .map(([stage, part]) => ({ id: "stage" as const, stage, phase: `${stage}.${part}` })),
    fc.record({
      id: fc.constantFrom(
        "ideated" as const,
        "ideated-draft",
        "improving",
        "working",
        "working-headless",
        "installed",
        "archived",
      ),
      stage: fc.constant(undefined),
      phase: fc.constant(undefined),
    }),
  );
  fc.assert(
    fc.property(place, (position) => {
      const text = formatStatus(position) ?? "";
      const { id, stage, phase } = parseStatus(text);
      expect({ id, stage, phase }).toEqual(position);
      expect(isWritableStatus(text)).toBe(true);
    }),
  );
});
