/**
 * Whole nodes under a flood, as a check that returns what is wrong. A story is pushed to a few nodes that are cut,
 * stopped and started, whose clocks are up to five minutes apart, over weeks in which what has expired is sealed; a
 * fresh node joins by a file. Strangers say more than every bound takes of the same records, before and between. The
 * same story without them is played beside: what people say within their own limits is held by every node all the same
 * and stays in effect; nodes with equal sets have equal states at every moment; and what is refused on one side is not
 * fetched again. Source: DESIGN L2; CONVERGENCE B1 to B7, "No retroactive veto".
 */

import { Checkpoints } from "../../core/domains/snapshots/tables.ts";
import { CONTENDERS_MAX, PENDING_PER_SIGNER_MAX, REQUESTS_PER_SIGNER_MAX } from "../../core/engine/admission/bounds.ts";
import { Pending, parentsOf, Seals, Statements, slot } from "../../core/engine/statements/table.ts";
import type { NodeDriver } from "../../core/index.ts";
import { peerOfKey } from "../../core/index.ts";
import type { RecordKind, SignedType, Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { later, latest } from "../../core/kernel/values.ts";
import { Refusals } from "../../core/network/gossip/refused.ts";
import type { Person } from "../rpc/lone-node.ts";
import { person, pushFrame } from "../rpc/lone-node.ts";
import { producer } from "../snapshots/stage.ts";
import type { Actor } from "./actors.ts";
import { actor } from "./actors.ts";
import * as fixtures from "./fixtures.ts";
import { inEffect } from "./in-effect.ts";
import type { Core, Network } from "./linked-nodes.ts";
import { linkedNetwork } from "./linked-nodes.ts";
import { replicaOf } from "./replica.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";
import type { Story } from "./story.ts";
import { everyone } from "./story.ts";

const NODES = 3;
/** Two clocks are as far apart as an honest ingress takes. */
const SKEW_MS_MAX = 150_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than all that a story begins can go on, with the age at which it seals. */
const ENDS_MS = 90 * DAY_MS;
const flooders: readonly Actor[] = ["fay", "fox", "fin"].map(actor);
const people = [producer, ...Array.from({ length: NODES }, (_, n) => person(51 + n))];

export interface Flooded {
  readonly wrong: string | undefined;
  readonly labels: readonly string[];
}

/** What one statement of a story, or of a stranger, meets: when, where, and what else happens then. */
interface Moment {
  readonly statement: Statement;
  readonly at: EpochMillis;
  readonly nodes: readonly number[];
  readonly trouble: Trouble | undefined;
  readonly isFlood: boolean;
}

interface Trouble {
  readonly kind: "cut" | "stop" | "heal";
  readonly node: number;
}

/** `flood`: how much strangers say for each thing that is said in the story. */
export function floodedError(story: Story, schedule: number, flood = 3, core?: Core): Flooded {
  const moments = momentsOf(story, schedule, flood);
  const calm = played(
    moments.filter(({ isFlood }) => !isFlood),
    schedule,
    core,
  );
  if (calm.wrong !== undefined) return { wrong: `without strangers: ${calm.wrong}`, labels: [] };
  const flooded = played(moments, schedule, core);
  const labels = [...calm.labels, ...flooded.labels.map((label) => `flooded: ${label}`)];
  return { wrong: flooded.wrong ?? lostIn(moments, calm.network, flooded.network), labels };
}

/** The same draws and the same instant for each statement, whatever others say between. */
function momentsOf(story: Story, schedule: number, flood: number): readonly Moment[] {
  const random = shuffleOf(schedule);
  const moments: Moment[] = [];
  const own = withinOwnLimits(story);
  const places = () => random.shuffled(Array.from({ length: NODES }, (_, n) => n)).slice(0, 1 + random.below(2));
  const known: Statement[] = [];
  let at = (story.times[0] ?? 0n) as EpochMillis;
  story.observations.forEach((each, place) => {
    if (each.type !== "statement" || !own.has(each.statement)) return;
    at = latest([later(at, 1_000), story.times[place] as EpochMillis]);
    known.push(each.statement);
    for (let n = 0; n < flood; n++) {
      const statement = strangersStatement(known, at, random);
      if (statement !== undefined) moments.push({ statement, at, nodes: places(), trouble: undefined, isFlood: true });
    }
    const kind = ([undefined, undefined, undefined, "cut", "stop", "heal"] as const)[random.below(6)];
    const trouble = kind && { kind, node: random.below(NODES) };
    moments.push({ statement: each.statement, at, nodes: places(), trouble, isFlood: false });
  });
  return moments;
}

/** What people say who keep within their own limits, and of records that there are. */
function withinOwnLimits(story: Story): ReadonlySet<Statement> {
  const counts = new Map<string, number>();
  const whole = replicaOf(story.observations).store();
  const isWithin = (place: string, most: number) => {
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return count <= most;
  };
  const within = story.observations.flatMap((each) => {
    if (each.type !== "statement" || whole.get(Pending, each.statement.identity) !== undefined) return [];
    const { type, payload, signer } = each.statement;
    const [id, about] = [type.idOf(payload as never), type.about(payload as never)];
    const few = type.creates === undefined || isWithin(`${signer} ${type.creates} ${id}`, CONTENDERS_MAX);
    const isRoom = about === undefined || isWithin(`${signer} about ${slot(about)}`, REQUESTS_PER_SIGNER_MAX);
    return few && isRoom ? [each.statement] : [];
  });
  return new Set(within);
}

/** Something about a record of the story, or under its name, by somebody who has nothing to do with it. */
function strangersStatement(known: readonly Statement[], now: EpochMillis, random: Shuffle): Statement | undefined {
  const by = flooders[random.below(flooders.length)] as Actor;
  const date = (now - BigInt(random.below(1_800) * 1_000)) as EpochMillis;
  const other = flooders[random.below(flooders.length)] as Actor;
  const name = (kind: RecordKind) => {
    const all = known.filter(({ type }) => type.creates === kind);
    const one = all[random.below(Math.max(1, all.length))];
    return one?.type.idOf(one.payload as never) ?? "nobody";
  };
  const number = random.below(2) === 0 ? name("reservation") : `${random.below(40)}`;
  const makers: readonly (() => Statement)[] = [
    () => fixtures.advertisement(by, date, { id: name("advertisement") }),
    () => fixtures.request(by, date, { id: number, about: name("advertisement"), amount: 1 + random.below(40) }),
    () => fixtures.request(by, date, { id: number, about: name("advertisement"), price: 1 + random.below(99) }),
    () => fixtures.initiate(by, other, date, { id: name("settlement"), about: number }),
    () => fixtures.payment(by, date, name("settlement")),
    () => fixtures.approve(by, date, name("settlement")),
    () => fixtures.open(by, date, { id: name("dispute"), about: name("settlement") }),
    () => fixtures.join(by, date, name("dispute")),
    () => fixtures.commit(by, date, "BuyerWins", random.below(9), name("dispute")),
    () => fixtures.reveal(by, date, "BuyerWins", random.below(9), name("dispute")),
  ];
  return makers[random.below(makers.length)]?.();
}

interface Played {
  readonly network: Network;
  readonly wrong: string | undefined;
  readonly labels: readonly string[];
}

function played(moments: readonly Moment[], schedule: number, core: Core | undefined): Played {
  const random = shuffleOf(schedule ^ 0x5eed);
  const skewsMs = people.map(() => BigInt(random.below(2 * SKEW_MS_MAX) - SKEW_MS_MAX));
  const now = (moments[0]?.at ?? 0n) - 60_000n;
  const network = linkedNetwork({ people, skewsMs, now, random, lossOf: 16, ...(core && { core }) });
  const labels = new Set<string>();
  const states = new Map<string, string>();
  const pushed = { flood: 0, own: 0 };
  for (let node = 0; node < NODES; node++) network.start(node);

  const waited = new Map<string, Statement>();
  /** What waited and made room, or found none, nobody here has: whoever brought it, and holds it, pushes it again. */
  function pushAgain(): void {
    for (const [identity, statement] of waited) {
      const isHere = ({ view }: NodeDriver) => isHeld(view, identity) || view.get(Pending, identity) !== undefined;
      if (network.up().some(isHere)) continue;
      labels.add("what made room is pushed again");
      const relay = relayOf(0xee, pushed.own++);
      network.push(runningOf(network), relay, frameOf(statement, network.now as EpochMillis));
    }
  }

  function goOnUntil(at: bigint): void {
    if (at - network.now > BigInt(HOUR_MS)) {
      settle(network);
      pushAgain();
      labels.add("a leap of days");
    }
    if (at > network.now) network.pass(Number(at - network.now));
  }

  for (const { statement, at, nodes, trouble, isFlood } of moments) {
    goOnUntil(at);
    if (trouble !== undefined) disturb(network, trouble);
    if (trouble !== undefined) labels.add(trouble.kind);
    const frame = frameOf(statement, network.now as EpochMillis);
    const running = nodes.filter((node) => network.members[node]?.driver !== undefined);
    const told = running.length > 0 ? running : [runningOf(network)];
    for (const node of told)
      network.push(node, relayOf(isFlood ? 0xef : 0xee, pushed[isFlood ? "flood" : "own"]++), frame);
    const waits = (node: number) => isWaiting(network.members[node]?.driver?.view, statement);
    if (!isFlood && told.every(waits)) waited.set(statement.identity, statement);
    const apart = unequal(network.up(), states);
    if (apart !== undefined) return { network, wrong: apart, labels: [...labels] };
  }
  settle(network);
  pushAgain();
  const wrong = ended(network, states, labels);
  return { network, wrong, labels: [...labels] };
}

/** Heals everything, lets a fresh node join by a file, and lets all be over. */
function ended(network: Network, states: Map<string, string>, labels: Set<string>): string | undefined {
  settle(network);
  network.pass(HOUR_MS);
  network.start(NODES);
  network.pass(60_000);
  settle(network);
  if (network.up().some(({ view }) => view.size(Pending) > 0)) labels.add("something waits");
  if (network.up().some(({ view }) => view.size(Refusals) > 0)) labels.add("something is refused");
  if ((network.members[NODES]?.driver?.view.size(Checkpoints) ?? 0) > 0) labels.add("a file is taken");
  if (!comesToRest(network)) return "what was refused is fetched again and again";
  const apart = unequal(network.up(), states);
  if (apart !== undefined) return apart;
  network.now += BigInt(ENDS_MS);
  settle(network);
  network.pass(HOUR_MS);
  if (network.up().some(({ view }) => view.size(Seals) > 0)) labels.add("something is sealed");
  return unequal(network.up(), states);
}

/**
 * Whether comparisons soon bring nothing in vain, for as long as refusals are remembered. What brings something new may
 * go on: every node registers itself anew each two minutes.
 */
function comesToRest(network: Network): boolean {
  let quiet = 0;
  for (let round = 0; round < 24 && quiet < 5; round++) {
    const [fetches, sets] = [network.moved.fetches, setsOf(network)];
    network.pass(20_000);
    network.compareAll();
    const isInVain = network.moved.fetches > fetches && setsOf(network) === sets;
    quiet = isInVain ? 0 : quiet + 1;
  }
  return quiet === 5;
}

/** What every node holds, and what waits there. */
function setsOf(network: Network): string {
  return network
    .up()
    .map((driver) => [driver.roots().statements, ...driver.view.keys(Pending)].join())
    .join();
}

/** All run and are linked, and compare until they have had the time to fetch what was refused once. */
function settle(network: Network): void {
  for (let node = 0; node < NODES; node++) network.start(node);
  network.heal();
  for (let round = 0; round < 4; round++) {
    network.pass(round === 2 ? 11 * 60_000 : 21_000);
    network.compareAll();
  }
}

function disturb(network: Network, { kind, node }: Trouble): void {
  if (kind === "heal") {
    for (let each = 0; each < NODES; each++) network.start(each);
    network.heal();
  }
  if (kind === "cut") network.cut(node);
  if (kind === "stop" && network.up().length > 1) network.stop(node);
}

function isHeld(view: Reader, identity: string): boolean {
  return view.get(Statements, identity) !== undefined;
}

/**
 * Whether it waits for what it is about, or would, had its signer or the node room for it. What strangers say under the
 * name that it is about need not be what it waits for.
 */
function isWaiting(view: Reader | undefined, statement: Statement): boolean {
  if (view === undefined) return false;
  const { identity, signer } = statement;
  if (view.get(Pending, identity) !== undefined) return true;
  const hasMost = () => view.count(Pending, "signer", signer) >= PENDING_PER_SIGNER_MAX;
  return view.get(Refusals, identity)?.space === true && (parentsOf(view, statement).length === 0 || hasMost());
}

function runningOf(network: Network): number {
  return network.members.findIndex(({ driver }) => driver !== undefined);
}

/** Nodes that hold the same and come to something else. */
function unequal(nodes: readonly NodeDriver[], states: Map<string, string>): string | undefined {
  for (const node of nodes) {
    const { statements, facts, archive, state } = node.roots();
    const sets = `${statements} ${facts} ${archive}`;
    if ((states.get(sets) ?? state) !== state) return "equal sets have unequal states";
    states.set(sets, state);
  }
  return undefined;
}

/** What nodes lack of what people said, or what went out of effect, because strangers spoke. */
function lostIn(moments: readonly Moment[], calm: Network, flooded: Network): string | undefined {
  const [expected] = calm.up();
  if (expected === undefined) return "nobody runs";
  const own = moments.filter(({ statement, isFlood }) => !isFlood && isHeld(expected.view, statement.identity));
  const told = ({ type, signer }: Statement, node: number) => `${type.name} of ${signer.slice(-4)} at node ${node}`;
  for (const { statement } of own)
    for (const [n, { view }] of flooded.up().entries())
      if (!isHeld(view, statement.identity)) return `${told(statement, n)} is not held`;
  for (const { statement } of own) {
    const places = placesOf(expected.view, statement);
    for (const [n, { view }] of flooded.up().entries()) {
      const kept = new Set(placesOf(view, statement));
      const gone = places.find((place) => !kept.has(place));
      if (gone !== undefined) return `${told(statement, n)} is out of effect in ${gone}`;
    }
  }
  return undefined;
}

/** Registers read as they came, edit by edit: that they are held is enough, and roots tell the rest. */
function placesOf(view: Reader, statement: Statement): readonly string[] {
  if (statement.type.creates === "advertisement" || statement.type.name.startsWith("Advertisement")) return [];
  return inEffect[statement.type.name]?.places(view, statement) ?? [];
}

/** Who brings the next: another peer now and then, so that no link's credit runs out. */
function relayOf(whose: number, pushed: number) {
  const number = Math.floor(pushed / 4);
  return peerOfKey(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? whose : (number >> (8 * (at % 2))) & 255)));
}

/** A push of a statement, signed by the one who says it. */
function frameOf({ type, payload, signer }: Statement, now: EpochMillis): Uint8Array {
  const by = [...everyone, ...flooders].find(({ peer }) => peer === signer);
  if (by === undefined) throw new Error("bug: nobody in the story signed this");
  return pushFrame(type as SignedType, payload as never, by as Person, now);
}
