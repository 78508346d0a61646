import { describe, expect, test } from "vitest";
import { rememberTexts } from "./memo.ts";

describe("remembered texts", () => {
  test("the same text is read once, another text or place is read", () => {
    const reads: string[] = [];
    const read = rememberTexts((text: string, of: number) => {
      reads.push(`${of} ${text}`);
      return { text, of };
    });
    const first = read("a", 0);
    expect(read(["a"].join(""), 0)).toBe(first);
    expect(read("a", 1)).toEqual({ text: "a", of: 1 });
    expect(read("b", 0)).toEqual({ text: "b", of: 0 });
    expect(reads).toEqual(["0 a", "1 a", "0 b"]);
  });

  test("only the last few are kept, and of large texts fewer", () => {
    let reads = 0;
    const read = rememberTexts((text: string) => {
      reads += 1;
      return text.length;
    });
    for (let n = 0; n < 2_005; n += 1) read(`${n}`, undefined);
    read("2000", undefined);
    expect(reads).toBe(2_005);
    read("0", undefined);
    expect(reads).toBe(2_006);
    const large = "x".repeat(1_500_000);
    for (const text of [large, `${large}y`, large]) read(text, undefined);
    expect(reads).toBe(2_009);
  });
});
