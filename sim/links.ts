/**
 * One direction between two members of the network: what happens to each message that is sent along it.
 * Every decision is drawn by name, from the link's stream, the number of the message and the kind of decision, so
 * taking one fault away leaves all others where they were. Source: DESIGN section 5 "Faults", "Randomness".
 */
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { Stream } from "./random.ts";
import { below, between, chance, openStream } from "./random.ts";

/** How a direction behaves. Chances are millionths. */
export interface LinkConditions {
  readonly latency: Distribution;
  readonly loss: number;
  readonly duplication: number;
  /** Some messages wait longer, so that later ones overtake them. */
  readonly jitter: { readonly chance: number; readonly delay: Distribution } | null;
  /** Bytes that leave in a millisecond; `null` is no bound. */
  readonly bytesPerMs: number | null;
  /** A message arrives with other bits in one of its bytes. */
  readonly corruption: number;
}

/** A healthy link of one continent. Source: DESIGN "Simulated world". */
export const healthyLink: LinkConditions = {
  latency: { type: "uniform", least: 10, most: 40 },
  loss: 0,
  duplication: 0,
  jitter: null,
  bytesPerMs: null,
  corruption: 0,
};

/** A direction, and what it does with the message it was last asked about: read at once, before the next is decided. */
export interface Link {
  readonly seed: bigint;
  readonly stream: Stream;
  /** Of most links nobody asks these: they are opened when somebody does. */
  handshakes: Stream | undefined;
  corruptions: Stream | undefined;
  /** Messages that were made to wait and have not arrived. */
  late: Map<number, Injection> | undefined;
  /** Messages with a wrong byte that have not arrived. */
  corrupted: Map<number, Injection> | undefined;
  sent: number;
  shaken: number;
  freeAt: number;
  newestArrived: number;
  /** The message never arrives, nor does a copy of it. */
  lost: boolean;
  /** Milliseconds from now until it arrives, and until its copy does; -1 without a copy. */
  delay: number;
  copyDelay: number;
  /** Its number on this link; `arrivedOn` wants it back. */
  number: number;
}

/** The kinds of decision about one message; each has its own number, so none shifts another. */
const KINDS = 8;
const LATENCY = 0;
const LOSS = 1;
const DUPLICATION = 2;
const COPY_LATENCY = 3;
const JITTER = 4;
const JITTER_DELAY = 5;
/** The same for the stream of corruptions: whether, which byte, which of its bits. */
const CORRUPTION_KINDS = 3;
const CORRUPT_BYTE = 1;
const CORRUPT_BITS = 2;

/** A direction that nothing was sent along yet. */
export function createLink(seed: bigint, name: string): Link {
  return {
    seed,
    stream: openStream(seed, name),
    handshakes: undefined,
    corruptions: undefined,
    late: undefined,
    corrupted: undefined,
    sent: 0,
    shaken: 0,
    freeAt: 0,
    newestArrived: -1,
    lost: false,
    delay: 0,
    copyDelay: -1,
    number: 0,
  };
}

/** Decides about the next message of a direction. */
export function decide(
  link: Link,
  faults: FaultLedger,
  conditions: LinkConditions,
  now: number,
  size: number,
  copies: boolean,
): void {
  const { stream } = link;
  link.number = link.sent++;
  const n = link.number * KINDS;
  const { bytesPerMs, jitter } = conditions;
  link.lost = chance(stream, n + LOSS, conditions.loss);
  link.delay = sample(conditions.latency, stream, n + LATENCY);
  if (bytesPerMs !== null) link.delay += queueing(link, faults, bytesPerMs, now, size);
  if (jitter !== null && chance(stream, n + JITTER, jitter.chance)) {
    link.delay += sample(jitter.delay, stream, n + JITTER_DELAY);
    link.late ??= new Map();
    link.late.set(link.number, faults.inject("reordering"));
  }
  const copied = copies && chance(stream, n + DUPLICATION, conditions.duplication);
  link.copyDelay = copied ? sample(conditions.latency, stream, n + COPY_LATENCY) : -1;
}

/** What a message that a link has just decided about arrives as: the same bytes, or others of the same length. */
export function carried(link: Link, faults: FaultLedger, conditions: LinkConditions, bytes: Uint8Array): Uint8Array {
  if (conditions.corruption === 0 || bytes.length === 0) return bytes;
  const { number } = link;
  const n = number * CORRUPTION_KINDS;
  link.corruptions ??= openStream(link.seed, `${link.stream.name}/corruption`);
  const stream = link.corruptions;
  if (!chance(stream, n, conditions.corruption)) return bytes;
  link.corrupted ??= new Map();
  link.corrupted.set(number, faults.inject("corruption"));
  const at = below(stream, n + CORRUPT_BYTE, bytes.length);
  const other = bytes.slice();
  other[at] = (other[at] as number) ^ between(stream, n + CORRUPT_BITS, 1, 0xff);
  return other;
}

/** Tells a link that a message arrived, so that it knows who overtook whom. */
export function arrivedOn(link: Link, faults: FaultLedger, number: number): void {
  if (number > link.newestArrived) link.newestArrived = number;
  if (link.corrupted !== undefined) {
    faults.bite(link.corrupted.get(number));
    link.corrupted.delete(number);
  }
  if (link.late === undefined) return;
  if (link.newestArrived > number) faults.bite(link.late.get(number));
  link.late.delete(number);
}

/** A delay for something that is no message: an opened or closed connection. */
export function handshakeMs(link: Link, conditions: LinkConditions): number {
  link.handshakes ??= openStream(link.seed, `${link.stream.name}/handshake`);
  return sample(conditions.latency, link.handshakes, link.shaken++);
}

function queueing(link: Link, faults: FaultLedger, bytesPerMs: number, now: number, size: number): number {
  link.freeAt = Math.max(now, link.freeAt) + Math.ceil(size / bytesPerMs);
  faults.count("bandwidth", link.freeAt - now > 1);
  return link.freeAt - now;
}
