/**
 * A search tree over identities, for telling two sets apart by what differs: sixteen branches at each
 * hexadecimal digit, a digest for every prefix. A digest is a function of the set below its prefix alone,
 * never of history, and hashes sorted content, so sets cannot be crafted to look alike as sums can.
 * Source: CONVERGENCE "Roots" ("a search tree over identities, not a sum").
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { concat, fromHex } from "./bytes.ts";

/** Most identities that are listed rather than branched. Source: DESIGN "Bounds". */
export const LISTED_MAX = 16;
/** Branches at one digit. */
export const BRANCHES = 16;
/** Bytes of a digest. */
export const DIGEST_BYTES = 32;
const DIGITS = "0123456789abcdef";
const NONE: readonly string[] = [];
/** The tree of an empty set. */
export const NO_IDENTITIES: IdentityNode = { type: "listed", count: 0, ids: [] };
const EMPTY = new Uint8Array(DIGEST_BYTES);

/**
 * The set below one prefix: its identities while they are few, else branches by the next digit. Never changed once
 * made, so trees share what they have in common.
 */
export type IdentityNode =
  | { readonly type: "listed"; readonly count: number; readonly ids: readonly string[] }
  | { readonly type: "branched"; readonly count: number; readonly branches: readonly (IdentityNode | undefined)[] };

export interface IdentityReader {
  /** How many identities begin with a prefix. */
  count(prefix: string): number;
  /** Digest of the set below a prefix; zeros when it is empty. */
  digest(prefix: string): Uint8Array;
  /** The identities below a prefix in order, at most so many. */
  below(prefix: string, most: number): readonly string[];
}

export interface IdentityTree extends IdentityReader {
  add(id: string): void;
  remove(id: string): void;
  /** The whole set, as a tree that goes on from it takes it. */
  root(): IdentityNode;
}

/** An empty set, or one that goes on from the tree of another. */
export function createIdentityTree(crypto: CryptoPort, from: IdentityNode = NO_IDENTITIES): IdentityTree {
  let root = from;
  const digests = new WeakMap<IdentityNode, Uint8Array>();

  /** The node of a prefix, or the list in which its identities stand among others. */
  function find(prefix: string): { readonly node: IdentityNode | undefined; readonly whole: boolean } {
    let node: IdentityNode | undefined = root;
    for (let depth = 0; depth < prefix.length; depth++) {
      if (node?.type !== "branched") return { node, whole: false };
      node = node.branches[digitAt(prefix, depth)];
    }
    return { node, whole: true };
  }

  function listedBelow(node: IdentityNode | undefined, prefix: string): readonly string[] {
    return node?.type === "listed" ? node.ids.filter((id) => id.startsWith(prefix)) : NONE;
  }

  function digestOf(node: IdentityNode): Uint8Array {
    const held = digests.get(node);
    if (held !== undefined) return held;
    const digest =
      node.type === "listed"
        ? digestOfList(crypto, node.ids)
        : crypto.sha256(
            concat(Uint8Array.of(1), ...node.branches.map((branch) => (branch ? digestOf(branch) : EMPTY))),
          );
    digests.set(node, digest);
    return digest;
  }

  return {
    add(id) {
      root = withId(root, id, 0);
    },
    remove(id) {
      root = withoutId(root, id, 0);
    },
    root: () => root,
    count(prefix) {
      const { node, whole } = find(prefix);
      return whole ? (node?.count ?? 0) : listedBelow(node, prefix).length;
    },
    digest(prefix) {
      const { node, whole } = find(prefix);
      if (!whole) return digestOfList(crypto, listedBelow(node, prefix));
      return node === undefined ? EMPTY : digestOf(node);
    },
    below(prefix, most) {
      const { node, whole } = find(prefix);
      if (!whole) return [...listedBelow(node, prefix)].sort(compareHex).slice(0, most);
      const found: string[] = [];
      for (const id of node === undefined ? NONE : idsOf(node)) {
        if (found.length >= most) break;
        found.push(id);
      }
      return found;
    },
  };
}

/** The tree of a whole set at once: of identities in order, each once. */
export function treeOf(ids: readonly string[], depth = 0): IdentityNode {
  if (ids.length <= LISTED_MAX) return listed(ids);
  const branches: (IdentityNode | undefined)[] = [];
  for (let [digit, from] = [0, 0]; digit < BRANCHES; digit++) {
    let end = from;
    while (end < ids.length && digitAt(ids[end] as string, depth) === digit) end += 1;
    branches.push(end === from ? undefined : treeOf(ids.slice(from, end), depth + 1));
    from = end;
  }
  return branched(branches, ids.length);
}

/** The node with an identity more; itself when it was there. */
function withId(node: IdentityNode, id: string, depth: number): IdentityNode {
  if (node.type === "branched") {
    const digit = digitAt(id, depth);
    const child = node.branches[digit] ?? NO_IDENTITIES;
    const grown = withId(child, id, depth + 1);
    return grown === child ? node : branched(node.branches.with(digit, grown), node.count + 1);
  }
  if (node.ids.includes(id)) return node;
  const ids = [...node.ids, id];
  if (ids.length <= LISTED_MAX) return listed(ids);
  let whole: IdentityNode = branched(new Array<IdentityNode | undefined>(BRANCHES).fill(undefined), 0);
  for (const each of ids) whole = withId(whole, each, depth);
  return whole;
}

/** The node with an identity less; itself when it was not there. What has become few is listed again. */
function withoutId(node: IdentityNode, id: string, depth: number): IdentityNode {
  if (node.type === "listed") return node.ids.includes(id) ? listed(node.ids.filter((held) => held !== id)) : node;
  const digit = digitAt(id, depth);
  const child = node.branches[digit];
  const rest = child && withoutId(child, id, depth + 1);
  if (rest === undefined || rest === child) return node;
  const shrunk = branched(node.branches.with(digit, rest), node.count - 1);
  return shrunk.count <= LISTED_MAX ? listed([...idsOf(shrunk)]) : shrunk;
}

function listed(ids: readonly string[]): IdentityNode {
  return { type: "listed", count: ids.length, ids };
}

function branched(branches: readonly (IdentityNode | undefined)[], count: number): IdentityNode {
  return { type: "branched", count, branches };
}

/** Identities below a node, in order. */
function* idsOf(node: IdentityNode): Iterable<string> {
  if (node.type === "listed") yield* [...node.ids].sort(compareHex);
  else for (const branch of node.branches) if (branch !== undefined) yield* idsOf(branch);
}

function digitAt(id: string, depth: number): number {
  return DIGITS.indexOf(id.charAt(depth));
}

function digestOfList(crypto: CryptoPort, ids: readonly string[]): Uint8Array {
  if (ids.length === 0) return EMPTY;
  const sorted = [...ids].sort(compareHex);
  return crypto.sha256(concat(Uint8Array.of(0), ...sorted.map((id) => known(fromHex(id), "an identity's bytes"))));
}

/** Orders two identities that differ. */
function compareHex(a: string, b: string): number {
  // Stryker disable next-line EqualityOperator: no two identities of a set are equal
  return a < b ? -1 : 1;
}
