import fc from "fast-check";
import { expect, test } from "vitest";
import { circlesIn } from "./circles.ts";

test("[TC-129] each knot of circles is told once, by its shortest circle from its first node", () => {
  expect(circlesIn([[1], [2], []])).toEqual([]);
  expect(circlesIn([[0]])).toEqual([[0]]);
  expect(circlesIn([[1], [2, 0], [1], [4], [3]])).toEqual([
    [0, 1],
    [3, 4],
  ]);
});

test("[TC-129] a ring of fifty thousand is no more work than its length", () => {
  const ring = Array.from({ length: 50_000 }, (_, node) => [(node + 1) % 50_000]);
  expect(circlesIn(ring).map((circle) => circle.length)).toEqual([50_000]);
});

test("[TC-129] a circle is found exactly where some node leads back to itself", () => {
  const graphs = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );
  fc.assert(
    fc.property(graphs, (edges) => {
      const circles = circlesIn(edges);
      const told = new Set(circles.map(([first = -1]) => first));
      for (const circle of circles)
        circle.forEach((node, at) =>
          expect(edges[node]).toContain(circle[(at + 1) % circle.length]),
        );
      // The first node of every knot is told, and nobody else.
      edges.forEach((_, node) => {
        const mates = edges.flatMap((__, other) =>
          reaches(edges, node, other) && reaches(edges, other, node) ? [other] : [],
        );
        const isFirst = reaches(edges, node, node) && Math.min(...mates) === node;
        expect(told.has(node)).toBe(isFirst);
      });
    }),
  );
});

/** In one step or more. */
function reaches(edges: readonly (readonly number[])[], from: number, to: number): boolean {
  const seen = new Set<number>();
  const queue = [...(edges[from] ?? [])];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    if (node === to) return true;
    if (!seen.has(node)) queue.push(...(edges[node] ?? []));
    seen.add(node);
  }
  return false;
}
