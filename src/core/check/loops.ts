import type { Edge, Node } from "./explore.ts";

/** A loop that nobody has to stop: its first node and the steps back to it. */
export interface Loop {
  readonly node: number;
  readonly edges: readonly Edge[];
}

/**
 * Loops in which no person takes part, no budget is spent and no effect fails. Each is reported once, the nearest
 * to the start first. A step that changes nothing is not a loop.
 */
export function unboundedLoops(nodes: readonly Node[]): readonly Loop[] {
  const found = new Map<string, Loop>();
  for (const members of components(nodes)) {
    const node = Math.min(...members);
    const edges = wayRound(nodes, node, new Set(members));
    const name = [...new Set(edges.map((edge) => edge.step.does))].sort().join();
    const known = found.get(name);
    if (edges.length > 0 && (known === undefined || node < known.node))
      found.set(name, { node, edges });
  }
  return [...found.values()].sort((a, b) => a.node - b.node);
}

function freeEdges(node: Node | undefined, at: number): readonly Edge[] {
  return (node?.edges ?? []).filter(
    ({ person, spends, failed, to }) => !person && !spends && !failed && to !== at,
  );
}

/** The shortest path from a node back to itself, within its component. */
function wayRound(
  nodes: readonly Node[],
  start: number,
  members: ReadonlySet<number>,
): readonly Edge[] {
  const cameBy = new Map<number, { readonly from: number; readonly edge: Edge }>();
  const queue = [start];
  for (const at of queue) {
    for (const edge of freeEdges(nodes[at], at).filter(({ to }) => members.has(to))) {
      if (!cameBy.has(edge.to)) {
        cameBy.set(edge.to, { from: at, edge });
        queue.push(edge.to);
      }
      if (edge.to === start) return backFrom(cameBy, start);
    }
  }
  return [];
}

function backFrom(
  cameBy: ReadonlyMap<number, { readonly from: number; readonly edge: Edge }>,
  start: number,
): readonly Edge[] {
  const edges: Edge[] = [];
  let at = start;
  do {
    const came = cameBy.get(at);
    if (came === undefined) return [];
    edges.unshift(came.edge);
    at = came.from;
  } while (at !== start);
  return edges;
}

/**
 * Strongly connected components of more than one node (Tarjan). Written without recursion, because a large table
 * would overflow the stack.
 */
function components(nodes: readonly Node[]): readonly (readonly number[])[] {
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  const found: (readonly number[])[] = [];
  const enter = (at: number): Frame => {
    order.set(at, order.size);
    low.set(at, order.size - 1);
    stack.push(at);
    onStack.add(at);
    return { at, edges: freeEdges(nodes[at], at), next: 0 };
  };
  const leave = (at: number): void => {
    if (low.get(at) !== order.get(at)) return;
    const members = stack.splice(stack.indexOf(at));
    for (const member of members) onStack.delete(member);
    if (members.length > 1) found.push(members);
  };
  const lower = (at: number, to: number | undefined): void => {
    low.set(at, Math.min(low.get(at) ?? 0, to ?? 0));
  };
  for (let first = 0; first < nodes.length; first += 1) {
    const frames = order.has(first) ? [] : [enter(first)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const edge = frame.edges[frame.next];
      frame.next += 1;
      if (edge === undefined) {
        frames.pop();
        leave(frame.at);
        const above = frames.at(-1);
        if (above !== undefined) lower(above.at, low.get(frame.at));
      } else if (!order.has(edge.to)) frames.push(enter(edge.to));
      else if (onStack.has(edge.to)) lower(frame.at, order.get(edge.to));
    }
  }
  return found;
}

interface Frame {
  readonly at: number;
  readonly edges: readonly Edge[];
  next: number;
}
