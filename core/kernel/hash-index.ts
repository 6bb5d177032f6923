/**
 * Numbers by hashes of 16 bytes, in few bytes each: buckets of unsorted entries, found by the first bits of a hash and
 * split in two when they are full, so that nothing that is added costs more than one bucket, however much there is.
 * Several numbers of one hash stand in a list beside. Hashes are told apart whole, so what is found is exact.
 * Source: CONVERGENCE B5, B7.
 */

/** Bytes of a hash. */
export const HASH_INDEX_BYTES = 16;
/** Entries of a bucket before it is split. Source: DESIGN "Work at once". */
export const BUCKET_ENTRIES = 128;
const HASH_WORDS = 4;
/** A hash, and the number that is found there or the list of them. */
const ENTRY_WORDS = HASH_WORDS + 1;
const GROWTH_ENTRIES = 16;
const GROWTH_WORDS = GROWTH_ENTRIES * ENTRY_WORDS;
/** A bucket is made larger rather than split where less than a part of all is filled: hashes were chosen for that. */
const SPREAD_PART = 8;
/** Of the 32 bits by which buckets are found. */
const DEEPEST = 26;
/** In the place of a number: the number of a list. */
const IS_LIST = 0x80000000;
/** Nodes of lists that are allocated at once. */
const CHUNK_NODES = 1_024;
const NODE_WORDS = 2;
const NONE = 0xffffffff;

/** Numbers below 2^31 by hashes. */
export interface HashIndex {
  add(hash: Uint8Array, number: number): void;
  /** Takes a number from a hash where it stands. */
  remove(hash: Uint8Array, number: number): void;
  count(hash: Uint8Array): number;
  /** The numbers of a hash, in no particular order; some of them, where no more are asked for. */
  numbers(hash: Uint8Array, most?: number): readonly number[];
  /** Every hash and its numbers, in the order of the first 32 bits of hashes. */
  entries(): Iterable<readonly [hash: Uint8Array, numbers: readonly number[]]>;
  /** One of its own, which shares nothing. */
  copy(): HashIndex;
}

/** What an index consists of: its buckets by their numbers, and its lists. */
interface Held {
  /** Numbers of buckets by the first bits of hashes. */
  readonly directory: Uint32Array;
  /** How many bits that are. */
  readonly depth: number;
  readonly size: number;
  readonly buckets: Uint32Array[];
  readonly sizes: number[];
  /** By how many bits of its hashes a bucket is found. */
  readonly depths: number[];
  readonly chunks: Uint32Array[];
  readonly nodes: number;
  readonly free: number;
}

/** An empty index. */
export function openHashIndex(): HashIndex {
  const buckets = { buckets: [new Uint32Array(0)], sizes: [0], depths: [0] };
  return indexOf({ directory: new Uint32Array(1), depth: 0, size: 0, ...buckets, chunks: [], nodes: 0, free: NONE });
}

function indexOf(given: Held): HashIndex {
  const { buckets, sizes, depths } = given;
  let { directory, depth, size } = given;
  const lists = listsOf(given);

  const bucketFor = (hash: Uint8Array) => directory[depth === 0 ? 0 : wordAt(hash, 0) >>> (32 - depth)] as number;
  const wordsOf = (bucket: number) => buckets[bucket] as Uint32Array;
  const placeIn = (bucket: number, hash: Uint8Array) => placeOf(wordsOf(bucket), sizes[bucket] as number, hash);

  function put(bucket: number, entry: Uint32Array): void {
    const held = sizes[bucket] as number;
    if (wordsOf(bucket).length === held * ENTRY_WORDS) enlarge(bucket);
    wordsOf(bucket).set(entry, held * ENTRY_WORDS);
    sizes[bucket] = held + 1;
  }

  function enlarge(bucket: number): void {
    const words = wordsOf(bucket);
    const quarter = Math.floor(words.length / ENTRY_WORDS / 4) * ENTRY_WORDS;
    const larger = new Uint32Array(words.length + Math.max(GROWTH_WORDS, quarter));
    larger.set(words);
    buckets[bucket] = larger;
  }

  /** Whether a bucket is to be split before more is added: not where hashes were chosen to fall into few. */
  function isToSplit(bucket: number): boolean {
    if ((sizes[bucket] as number) < BUCKET_ENTRIES || (depths[bucket] as number) >= DEEPEST) return false;
    return (depths[bucket] as number) < depth || directory.length * BUCKET_ENTRIES <= size * SPREAD_PART;
  }

  /** Makes two of a bucket, by one bit more of its hashes. */
  function split(bucket: number): void {
    const own = depths[bucket] as number;
    if (own === depth) {
      directory = doubled(directory);
      depth += 1;
    }
    const [words, many, other] = [wordsOf(bucket), sizes[bucket] as number, buckets.length];
    const room = Math.ceil(many / 2 / GROWTH_ENTRIES + 1) * GROWTH_WORDS;
    for (const half of [bucket, other]) {
      buckets[half] = new Uint32Array(room);
      sizes[half] = 0;
      depths[half] = own + 1;
    }
    for (let at = 0; at < many * ENTRY_WORDS; at += ENTRY_WORDS) {
      const isSecond = (((words[at] as number) >>> (31 - own)) & 1) === 1;
      put(isSecond ? other : bucket, words.subarray(at, at + ENTRY_WORDS));
    }
    // A bucket stands in one stretch of the directory: its second half is the new one's.
    const half = 1 << (depth - own - 1);
    const from = own === 0 ? 0 : ((words[0] as number) >>> (32 - own)) * 2 * half;
    directory.fill(other, from + half, from + 2 * half);
  }

  /** The last entry of a bucket takes the place of one. */
  function removeEntry(bucket: number, at: number): void {
    const end = (sizes[bucket] as number) * ENTRY_WORDS;
    wordsOf(bucket).copyWithin(at - HASH_WORDS, end - ENTRY_WORDS, end);
    sizes[bucket] = (sizes[bucket] as number) - 1;
    size -= 1;
  }

  function add(hash: Uint8Array, number: number): void {
    const bucket = bucketFor(hash);
    const at = placeIn(bucket, hash);
    if (at >= 0) {
      wordsOf(bucket)[at] = lists.withNumber(wordsOf(bucket)[at] as number, number);
    } else if (isToSplit(bucket)) {
      split(bucket);
      add(hash, number);
    } else {
      put(bucket, Uint32Array.of(wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8), wordAt(hash, 12), number));
      size += 1;
    }
  }

  const valueAt = (hash: Uint8Array): number | undefined => {
    const bucket = bucketFor(hash);
    const at = placeIn(bucket, hash);
    return at < 0 ? undefined : wordsOf(bucket)[at];
  };

  return {
    add,
    remove(hash, number) {
      const bucket = bucketFor(hash);
      const at = placeIn(bucket, hash);
      if (at >= 0 && lists.isLastOf(wordsOf(bucket)[at] as number, number)) removeEntry(bucket, at);
    },
    count(hash) {
      const value = valueAt(hash);
      return value === undefined ? 0 : lists.count(value);
    },
    numbers(hash, most = Infinity) {
      const value = valueAt(hash);
      return value === undefined || most <= 0 ? [] : lists.numbers(value, most);
    },
    *entries() {
      let last = -1;
      for (const bucket of directory) {
        if (bucket === last) continue;
        last = bucket;
        const words = wordsOf(bucket);
        for (const at of inOrder(words, sizes[bucket] as number))
          yield [hashAt(words, at), lists.numbers(words[at + HASH_WORDS] as number, Infinity)];
      }
    },
    copy: () =>
      indexOf({
        ...{ directory: directory.slice(), depth, size, sizes: [...sizes], depths: [...depths] },
        buckets: buckets.map((words) => words.slice()),
        ...lists.held(),
      }),
  };
}

/** Numbers of one hash: the number itself, or a list of nodes; the first node of one has its length. */
function listsOf(given: Pick<Held, "chunks" | "nodes" | "free">) {
  const { chunks } = given;
  let { nodes, free } = given;
  const chunkOf = (node: number) => chunks[Math.floor(node / CHUNK_NODES)] as Uint32Array;
  const numberAt = (node: number) => chunkOf(node)[(node % CHUNK_NODES) * NODE_WORDS] as number;
  const nextOf = (node: number) => chunkOf(node)[(node % CHUNK_NODES) * NODE_WORDS + 1] as number;

  function write(node: number, value: number, next: number): void {
    const [chunk, at] = [chunkOf(node), (node % CHUNK_NODES) * NODE_WORDS];
    chunk[at] = value;
    chunk[at + 1] = next;
  }

  function nodeWith(value: number, next: number): number {
    const node = free === NONE ? nodes : free;
    if (free !== NONE) free = nextOf(node);
    else {
      if (nodes % CHUNK_NODES === 0) chunks.push(new Uint32Array(CHUNK_NODES * NODE_WORDS));
      nodes += 1;
    }
    write(node, value, next);
    return node;
  }

  function giveBack(node: number): void {
    write(node, 0, free);
    free = node;
  }

  return {
    /** What stands for the numbers of before and one more. */
    withNumber(before: number, number: number): number {
      if (before < IS_LIST) return (IS_LIST | nodeWith(2, nodeWith(number, nodeWith(before, NONE)))) >>> 0;
      const list = before & ~IS_LIST;
      write(list, numberAt(list) + 1, nodeWith(number, nextOf(list)));
      return before;
    },
    /** Takes a number away; whether nothing is left. */
    isLastOf(value: number, number: number): boolean {
      if (value < IS_LIST) return value === number;
      const list = value & ~IS_LIST;
      for (let [before, node] = [list, nextOf(list)]; node !== NONE; [before, node] = [node, nextOf(node)]) {
        if (numberAt(node) !== number) continue;
        write(before, numberAt(before), nextOf(node));
        write(list, numberAt(list) - 1, nextOf(list));
        giveBack(node);
        break;
      }
      if (numberAt(list) > 0) return false;
      giveBack(list);
      return true;
    },
    count: (value: number) => (value < IS_LIST ? 1 : numberAt(value & ~IS_LIST)),
    numbers(value: number, most: number): readonly number[] {
      if (value < IS_LIST) return [value];
      const numbers: number[] = [];
      for (let node = nextOf(value & ~IS_LIST); node !== NONE && numbers.length < most; node = nextOf(node))
        numbers.push(numberAt(node));
      return numbers;
    },
    held: () => ({ chunks: chunks.map((chunk) => chunk.slice()), nodes, free }),
  };
}

/** Where the number of a hash stands in a bucket, or -1. */
function placeOf(words: Uint32Array, size: number, hash: Uint8Array): number {
  const [first, second, third, fourth] = [wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8), wordAt(hash, 12)];
  for (let at = 0, end = size * ENTRY_WORDS; at < end; at += ENTRY_WORDS)
    if (words[at] === first && words[at + 1] === second && words[at + 2] === third && words[at + 3] === fourth)
      return at + HASH_WORDS;
  return -1;
}

/** Each bucket once more, for one bit more. */
function doubled(directory: Uint32Array): Uint32Array {
  const twice = new Uint32Array(directory.length * 2);
  for (let at = 0; at < directory.length; at++) twice.fill(directory[at] as number, at * 2, at * 2 + 2);
  return twice;
}

/** Where the entries of a bucket begin, in the order of the first words of their hashes. */
function inOrder(words: Uint32Array, size: number): readonly number[] {
  const places = Array.from({ length: size }, (_, entry) => entry * ENTRY_WORDS);
  return places.sort((a, b) => (words[a] as number) - (words[b] as number));
}

function hashAt(words: Uint32Array, at: number): Uint8Array {
  const hash = new Uint8Array(HASH_INDEX_BYTES);
  const view = new DataView(hash.buffer);
  for (let word = 0; word < HASH_WORDS; word++) view.setUint32(word * 4, words[at + word] as number);
  return hash;
}

/** Four bytes of a hash as a number. */
function wordAt(hash: Uint8Array, at: number): number {
  const [first, second] = [hash[at] as number, hash[at + 1] as number];
  return ((first << 24) | (second << 16) | ((hash[at + 2] as number) << 8) | (hash[at + 3] as number)) >>> 0;
}
