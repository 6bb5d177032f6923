/**
 * Lists of nodes as people write them.
 */

/** Numbers as people write them: `0-3, 7`. What is no node is passed over; nothing that is one means all. */
export function nodesOf(text: string, count: number): readonly number[] {
  const asked = text.split(",").flatMap((part) => {
    const [, first, last = first] = /^\s*(\d+)\s*(?:[-–]\s*(\d+)\s*)?$/.exec(part) ?? [];
    if (first === undefined || last === undefined) return [];
    const [from, to] = [Number(first), Math.min(Number(last), count - 1)];
    return to < from ? [] : Array.from({ length: to - from + 1 }, (_, place) => from + place);
  });
  const nodes = [...new Set(asked)].filter((node) => node < count).sort((a, b) => a - b);
  return nodes.length > 0 ? nodes : Array.from({ length: count }, (_, node) => node);
}
