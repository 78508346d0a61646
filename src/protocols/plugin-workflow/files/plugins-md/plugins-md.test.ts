import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedLines } from "../../../../../test/lines.ts";
import { addPlugin, editNotes, editRegistry, type RegistryChanges, removePlugin } from "./edit.ts";
import { checkPluginName, parseNotes, parseRegistry, type Registry } from "./plugins-md.ts";

function fixture(name: string): string {
  return readFileSync(
    new URL(`../../../../../test/fixtures/plugin-workflow/${name}`, import.meta.url),
    "utf8",
  );
}

const REGISTRY = fixture("registry.md");
const TABLE_ONLY = fixture("registry-table-only.md");

function parse(text: string): Registry {
  return parseRegistry(text).value;
}

function edit(text: string, plugin: string, changes: RegistryChanges): string {
  const { text: after, problems } = editRegistry(text, plugin, changes);
  expect(problems).toEqual([]);
  return after;
}

test("[PW-041] [PW-042] rows and entries are found through padding and blank lines", () => {
  const { rows, entries } = parse(REGISTRY);
  expect(rows.map(({ name, status }) => [name, status])).toEqual([
    ["KnobOne", "📦 Installed"],
    ["TapeBox", "📦 Installed"],
    ["ClapBox", "💡 Ideated"],
    ["EchoBox", "🚧 Stage 3.10"],
  ]);
  expect(
    entries.map(({ name, status, version, line, statusLine }) => [
      name,
      status,
      version,
      line,
      statusLine,
    ]),
  ).toEqual([
    ["KnobOne", "📦 **Installed**", "1.2.3", 17, 19],
    ["TapeBox", "📦 **Installed**", "1.1.0", 31, 33],
    ["EchoBox", "🚧 Stage 3.10", "-", 42, 43],
  ]);
});

test("[PW-043] nothing in a code fence is a plugin", () => {
  const { rows, entries } = parse(REGISTRY);
  expect([...rows, ...entries].map(({ name }) => name)).not.toContain("FencedPlugin");
});

test("[PW-040] an entry without a Status line has none, not that of the next", () => {
  const text = "### Aa\n**Version:** 1.0.0\n\n### Bb\n**Status:** ✅ Working\n";
  expect(parse(text).entries.map(({ name, status }) => [name, status])).toEqual([
    ["Aa", undefined],
    ["Bb", "✅ Working"],
  ]);
});

test("[PW-036] other types are kept when read", () => {
  expect(parse(REGISTRY).entries[0]?.type).toBe("Audio Effect (Utility)");
});

test("[PW-032] [PW-031] timelines are read with and without tags", () => {
  const { timeline } = parse(REGISTRY).entries[0] ?? {};
  expect(timeline?.map(({ date, tag, text }) => [date, tag, text])).toEqual([
    ["2026-01-10", undefined, "Creative brief created"],
    ["2026-01-10", "Stage 4 COMPLETE", "UI complete"],
    ["2026-01-10", "v1.2.3", "Installed"],
  ]);
});

test("[PW-030] a timeline out of order is a warning with its line", () => {
  const { problems } = parseRegistry(REGISTRY);
  expect(problems.map(({ rule, line, severity }) => [rule, line, severity])).toEqual([
    ["PW-030", 38, "warning"],
  ]);
});

test("a field right below the timeline is a field, and the list ends before it", () => {
  const text =
    "| Plugin | Status |\n|---|---|\n| Aa | 🚧 Stage 2 |\n\n### Aa\n**Status:** 🚧 Stage 2\n**Lifecycle Timeline:**\n" +
    "- **2026-01-01:** x\n**Last Updated:** 2026-01-01\n";
  expect(parse(text).entries[0]?.lastUpdated).toBe("2026-01-01");
  const after = edit(text, "Aa", { timeline: { date: "2026-01-02", tag: "Stage 2", text: "y" } });
  expect(after).toContain("x\n- **2026-01-02 (Stage 2):** y\n**Last Updated:** 2026-01-02\n");
});

test("a heading without fields and without a row is no entry", () => {
  expect(parse("### Overview\nwords\n").entries).toEqual([]);
});

test("five columns and NOTES.md", () => {
  expect(parse(TABLE_ONLY).rows[0]).toMatchObject({
    name: "PadBox",
    type: "Synth",
    lastUpdated: "2026-02-01",
  });
  expect(parseNotes(fixture("notes.md"), "PadBox")).toMatchObject({
    status: "🚧 Stage 2",
    version: "N/A",
    statusLine: 4,
  });
  expect(parseNotes(fixture("notes.md"), "PadBox").timeline).toHaveLength(2);
});

test("[PW-028] [PW-029] [PW-031] [PW-045] [PW-046] [PW-125] [PW-126] row and entry change together, and nothing else", () => {
  const after = edit(REGISTRY, "EchoBox", {
    status: "🚧 Stage 3",
    timeline: { date: "2026-02-09", tag: "Stage 3", text: "Audio engine complete - done" },
  });
  expect(changedLines(REGISTRY, after)).toEqual([
    "-| EchoBox | 🚧 Stage 3.10 | - | 2026-02-03 |",
    "-**Status:** 🚧 Stage 3.10",
    "-**Last Updated:** 2026-02-03",
    "+| EchoBox | 🚧 Stage 3 | - | 2026-02-09 |",
    "+**Status:** 🚧 Stage 3",
    "+- **2026-02-09 (Stage 3):** Audio engine complete - done",
    "+**Last Updated:** 2026-02-09",
  ]);
  expect(after).toContain(
    "Feedback path\n- **2026-02-09 (Stage 3):** Audio engine complete - done\n\n**Known Issues:**",
  );
});

test("[PW-045] ten updates keep every other cell and the closing pipe", () => {
  let text = TABLE_ONLY;
  for (let day = 1; day <= 10; day += 1)
    text = edit(text, "PadBox", { status: `🚧 Stage 3.${day}` });
  expect(text).toBe(TABLE_ONLY.replace("🚧 Stage 2", "🚧 Stage 3.10"));
});

test("[PW-023] [PW-128] the same event is appended once, whatever way its tag is written", () => {
  const again = { timeline: { date: "2026-02-03", tag: "Stage 3.10", text: "other words" } };
  expect(edit(REGISTRY, "EchoBox", again)).toBe(REGISTRY);
  const old = { timeline: { date: "2026-01-12", tag: "Stage 4.1", text: "Layout" } };
  expect(edit(REGISTRY, "TapeBox", old)).toBe(REGISTRY);
});

test("[PW-166] a timeline line also sets Last Updated", () => {
  const after = edit(REGISTRY, "TapeBox", {
    timeline: { date: "2026-03-01", tag: "v1.2.0", text: "x" },
  });
  expect(after.match(/2026-03-01/g)).toHaveLength(3);
});

test("missing fields are added where they belong", () => {
  const text = "| Plugin | Status | Last Updated |\n|---|---|---|\n| Aa | x | y |\n\n### Aa\nwords";
  const after = edit(text, "Aa", {
    status: "🚧 Stage 2",
    timeline: { date: "2026-01-02", tag: "Stage 2", text: "z" },
  });
  expect(after).toBe(
    "| Plugin | Status | Last Updated |\n|---|---|---|\n| Aa | 🚧 Stage 2 | 2026-01-02 |\n\n### Aa\n**Status:** 🚧 Stage 2\n\n" +
      "words\n\n**Lifecycle Timeline:**\n- **2026-01-02 (Stage 2):** z\n\n**Last Updated:** 2026-01-02",
  );
});

test.each([["🚧 Stage 9"], ["done"], ["🎵 Processing Audio"]])(
  "[PW-033] the status %s is refused with the legal ones",
  (status) => {
    const { text, problems } = editRegistry(REGISTRY, "EchoBox", { status });
    expect([text, problems.map(({ rule }) => rule)]).toEqual([REGISTRY, ["PW-033"]]);
    expect(problems[0]?.fix).toContain("🚧 Improving");
  },
);

test.each([["ClapBox"], ["Nowhere"]])(
  "[PW-044] %s, without row or entry, cannot be changed",
  (plugin) => {
    expect(editRegistry(REGISTRY, plugin, { status: "🚧 Stage 2" })).toMatchObject({
      text: REGISTRY,
      problems: [{ rule: "PW-044" }],
    });
  },
);

test.each([
  ".*",
  "A/B",
  "../x",
  "a&b",
  "$(touch /tmp/x)",
  "a\nb",
  "Echo.*",
  "",
  "9a",
  "a".repeat(65),
  "a|b",
])("[PW-168] the name %j is refused and matches nothing", (name) => {
  expect(checkPluginName(name)?.rule).toBe("PW-168");
  expect(editRegistry(REGISTRY, name, { status: "🚧 Stage 2" }).text).toBe(REGISTRY);
  expect(
    addPlugin(REGISTRY, { name, type: "Synth", date: "2026-01-01", description: "" }).text,
  ).toBe(REGISTRY);
  expect(removePlugin(REGISTRY, name).text).toBe(REGISTRY);
});

test.each(["A", "Echo_Box-2", "a".repeat(64)])("[PW-168] the name %s is good", (name) => {
  expect(checkPluginName(name)).toBeUndefined();
});

describe("adding and removing", () => {
  const plugin = {
    name: "NewBox",
    type: "Synth",
    date: "2026-02-01",
    created: "2026-02-01",
    description: "Makes | noise",
  };

  test("[PW-026] [PW-034] [PW-035] a new registry, byte by byte", () => {
    expect(addPlugin(undefined, plugin)).toEqual({
      text: fixture("registry-new.md"),
      problems: [],
    });
  });

  test("of one that is not new, nothing is made up", () => {
    const { created: _, type: __, ...known } = plugin;
    expect(addPlugin(undefined, known).text).not.toMatch(/Created|Type:|brief/);
  });

  test("[PW-034] the second time nothing changes, and it says so", () => {
    const once = addPlugin(REGISTRY, plugin).text;
    expect(addPlugin(once, plugin)).toMatchObject({
      text: once,
      problems: [{ rule: "PW-034", severity: "warning" }],
    });
  });

  test("[PW-035] [PW-046] both places come in, the rest stays, and removal undoes it", () => {
    const after = addPlugin(REGISTRY, plugin).text;
    expect(after).toContain(
      "| EchoBox | 🚧 Stage 3.10 | - | 2026-02-03 |\n| NewBox | 💡 Ideated | - | 2026-02-01 |\n",
    );
    expect(after).toContain("**Last Updated:** 2026-02-01\n\n## Entry Template");
    expect(changedLines(REGISTRY, after).filter((line) => line.startsWith("-"))).toEqual([]);
    expect(removePlugin(after, "NewBox").text).toBe(REGISTRY);
  });

  test("a table-only registry gets a row with all its columns", () => {
    expect(addPlugin(TABLE_ONLY, plugin).text).toBe(
      TABLE_ONLY.replace(
        "\n\nDetails",
        "\n| NewBox | 💡 Ideated | - | Synth | 2026-02-01 |\n\nDetails",
      ),
    );
  });

  test("a registry that ends inside a code fence is refused", () => {
    expect(addPlugin("```\n", plugin)).toMatchObject({
      text: "```\n",
      problems: [{ rule: "PW-043" }],
    });
  });
});

test("a row inside its own entry, or on a line with a field, is no trap", () => {
  const inside = "### Aa\n**Status:** x\n\n| Plugin | Status |\n|---|---|\n| Aa | x |\n\n## Rest\n";
  expect(removePlugin(inside, "Aa").text).toBe("## Rest\n");
  const shared = "### Aa\nStatus | Plugin\n---|---\n**Status:** x | Aa\n";
  const { text, problems } = editRegistry(shared, "Aa", { status: "🚧 Stage 2" });
  expect([text, problems.map(({ rule }) => rule)]).toEqual([shared, ["PW-045"]]);
});

test("NOTES.md: status, version and timeline, without a date line of its own", () => {
  const { text } = editNotes(fixture("notes.md"), {
    status: "🚧 Stage 3",
    timeline: { date: "2026-02-05", tag: "Stage 3", text: "Audio engine complete" },
  });
  expect(changedLines(fixture("notes.md"), text)).toEqual([
    "-- **Current Status:** 🚧 Stage 2",
    "+- **Current Status:** 🚧 Stage 3",
    "+- **2026-02-05 (Stage 3):** Audio engine complete",
  ]);
});

describe("properties", () => {
  const words = fc.string({ unit: "grapheme", maxLength: 40 });
  const eol = fc.constantFrom("\n", "\r\n");

  test("[PW-169] any description keeps the file well formed, and any event text reads back", () => {
    fc.assert(
      fc.property(words, words, eol, (description, event, ending) => {
        const base = REGISTRY.replaceAll("\n", ending);
        const added = addPlugin(base, {
          name: "NewBox",
          type: description,
          date: "2026-02-01",
          description,
        }).text;
        const after = edit(added, "NewBox", {
          status: "🚧 Stage 0",
          timeline: { date: "2026-02-02", tag: "Stage 0", text: event },
        });
        const entry = parse(after).entries.find(({ name }) => name === "NewBox");
        expect(entry?.timeline.at(-1)?.text).toBe(
          event
            .split(/[\r\n\u2028\u2029]+/)
            .map((part) => part.trim())
            .filter(Boolean)
            .join(" "),
        );
        expect([entry?.status, entry?.lastUpdated]).toEqual(["🚧 Stage 0", "2026-02-02"]);
        expect(
          parse(after)
            .entries.filter(({ name }) => name !== "NewBox")
            .map(({ name }) => name),
        ).toEqual(["KnobOne", "TapeBox", "EchoBox"]);
        expect(removePlugin(after, "NewBox").text).toBe(base);
      }),
    );
  });

  test("[PW-046] [PW-047] updates of different plugins commute", () => {
    const change = fc.record({
      status: fc.constantFrom("🚧 Stage 2", "✅ Working"),
      lastUpdated: fc.constantFrom("2026-03-01", "2026-03-02"),
    });
    fc.assert(
      fc.property(change, change, (a, b) => {
        const left = edit(edit(REGISTRY, "EchoBox", a), "KnobOne", b);
        expect(edit(edit(REGISTRY, "KnobOne", b), "EchoBox", a)).toBe(left);
      }),
    );
  });
});
