import { expect, test } from "vitest";
import { tellMeasured, trimMeasured } from "./measured.ts";
import { unknown } from "./unknown.ts";

test("[C111] what was measured is told in one line: what came, changed, went, moved, and who committed", () => {
  const measured = {
    files: {
      "new.ts": [null, "f 1"],
      "old.ts": ["f 1", "f 2"],
      "gone.ts": ["f 3", null],
      "from.ts": ["f 4", null],
      "to.ts": [null, "f 4"],
    },
    moved: { "to.ts": "from.ts" },
    commits: ["0123 mine"],
  };
  expect(tellMeasured(measured)).toBe(
    "added new.ts; modified old.ts; deleted gone.ts; moved from.ts → to.ts; committed 0123 mine",
  );
  expect(tellMeasured({ files: {}, moved: {}, commits: [] })).toBe("nothing changed");
  expect(tellMeasured(unknown("x cannot be read"))).toContain("x cannot be read");
});

test("[C111] a workflow carries a long list cut, and says how much it cut", () => {
  const files = Object.fromEntries(
    Array.from({ length: 130 }, (_, index) => [`f${index}`, [null, "f 1"]]),
  );
  const cut = trimMeasured({ files, moved: {}, commits: [] });
  expect(cut).toMatchObject({ more: 30 });
  expect(tellMeasured(cut)).toContain("and 30 more");
});
