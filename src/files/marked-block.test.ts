import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { putBlock, takeBlock } from "./marked-block.ts";

const marks = { begin: "# begin", end: "# end" };

describe("a block in somebody else's text", () => {
  test("goes to the end and is renewed where it stands", () => {
    const once = putBlock("a\n", marks, ["x"]) ?? "";
    expect(once).toBe("a\n\n# begin\nx\n# end\n");
    expect(putBlock(`${once}b\n`, marks, ["y", "z"])).toBe("a\n\n# begin\ny\nz\n# end\nb\n");
    expect(takeBlock(`${once}b\n`, marks)).toBe("a\nb\n");
  });

  test.each([
    "# begin\nx",
    "# end\n# begin\n",
    "# begin\n# begin\n# end\n",
    "# begin\n# end\n# end",
  ])("whose marks do not pair up is left alone: %j", (text) => {
    expect(putBlock(text, marks, ["x"])).toBeUndefined();
    expect(takeBlock(text, marks)).toBeUndefined();
  });

  test("leaves no trace when it is taken out, and is the same when put in twice", () => {
    const texts = fc
      .array(fc.constantFrom("", "a", "# Title", "\t x", "é"), { maxLength: 5 })
      .chain((lines) => fc.constantFrom("\n", "\r\n").map((eol) => lines.join(eol)));
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.constantFrom("x", "", "y"), { maxLength: 3 }),
        (text, lines) => {
          const once = putBlock(text, marks, lines) ?? "";
          expect(putBlock(once, marks, lines)).toBe(once);
          expect(takeBlock(once, marks)).toBe(text);
        },
      ),
    );
  });
});
