/**
 * Finds cycles in a graph, given as the neighbours of each node. A group of nodes that reach each other is
 * reported once, as the shortest cycle through its first node. Runs in linear time, because a file may have
 * thousands of tasks and be hostile.
 */
export function circlesIn(edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const group = groupsOf(edges);
  const firsts = new Set<number>();
  return edges.flatMap((_, node) => {
    const mine = group[node] ?? -1;
    if (firsts.has(mine)) return [];
    firsts.add(mine);
    const circle = shortestCircle(edges, group, node);
    return circle === undefined ? [] : [circle];
  });
}

/** The number of each node's strongly connected group (Tarjan), with an explicit stack instead of recursion. */
function groupsOf(edges: readonly (readonly number[])[]): readonly number[] {
  const seen: (number | undefined)[] = [];
  const low: number[] = [];
  const group: number[] = [];
  const path: number[] = [];
  let clock = 0;
  const enter = (node: number): Visit => {
    seen[node] = clock;
    low[node] = clock;
    clock += 1;
    path.push(node);
    return { node, next: 0 };
  };
  for (let start = 0; start < edges.length; start += 1) {
    if (seen[start] !== undefined) continue;
    const visits = [enter(start)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { node } = visit;
      const to = edges[node]?.[visit.next];
      visit.next += 1;
      if (to === undefined) {
        visits.pop();
        close(node, { seen, low, group, path });
        const above = visits.at(-1)?.node;
        if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[node] ?? 0);
      } else if (seen[to] === undefined) visits.push(enter(to));
      else if (group[to] === undefined) low[node] = Math.min(low[node] ?? 0, seen[to]);
    }
  }
  return group;
}

interface Visit {
  readonly node: number;
  next: number;
}

interface Walk {
  readonly seen: readonly (number | undefined)[];
  readonly low: readonly number[];
  readonly group: number[];
  readonly path: number[];
}

/** No node below this one leads above it, so the rest of the path forms one group. */
function close(node: number, { seen, low, group, path }: Walk): void {
  if (low[node] !== seen[node]) return;
  for (let member = path.pop(); member !== undefined; member = path.pop()) {
    group[member] = node;
    if (member === node) return;
  }
}

/** The shortest cycle through a node, by breadth-first search inside its group. */
function shortestCircle(
  edges: readonly (readonly number[])[],
  group: readonly number[],
  start: number,
): readonly number[] | undefined {
  const from = new Map<number, number>();
  const queue = [start];
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at] ?? start;
    for (const to of edges[node] ?? []) {
      if (to === start) return wayTo(node, start, from);
      if (group[to] !== group[start] || from.has(to)) continue;
      from.set(to, node);
      queue.push(to);
    }
  }
  return undefined;
}

function wayTo(end: number, start: number, from: ReadonlyMap<number, number>): readonly number[] {
  const way = [end];
  for (let node = end; node !== start;) {
    node = from.get(node) ?? start;
    way.push(node);
  }
  return way.toReversed();
}
