/**
 * Fresh peers: somebody comes under a new peer id each time, says and asks for as much as a link may cost at once, and
 * leaves. A peer id costs nothing, so whatever each begins with he has as often as he likes.
 * Source: CONVERGENCE B3.
 */
import type { EpochMillis, NetworkProfile } from "../../core/index.ts";
import { encodeCompact, profileText, utf8 } from "../../core/index.ts";
import { FetchRequest, OFS_GOSSIP, SetRequest } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { joinAsAttacker } from "./attacker.ts";
import type { EventMaker } from "./market-events.ts";

/** What each asks for, again and again until it gets nothing more. */
interface Demand {
  readonly set: Uint8Array;
  readonly fetch: Uint8Array;
}

/** Requests of each newcomer. */
const ASKED = 8;
const RANGES = 1_023;

/** Comes so often under another id; each pushes so many statements, and asks for everything. Answers them all. */
export function comeAnew(
  attacker: Attacker,
  statement: (n: number) => EventMaker,
  many: number,
  { times, overMs }: { readonly times: number; readonly overMs: number },
): readonly Attacker[] {
  const { world } = attacker;
  const demand = demandOf(attacker, world.profile);
  // All join at once, so that those of a held world are there again; each dials when its turn comes.
  const newcomers = Array.from({ length: times }, (_, n) => joinAsAttacker(world, `${attacker.name}/${n}`, n + 1));
  attacker.repeat(times + 2, overMs, (n) => {
    const [comes, acts, leaves] = [newcomers[n], newcomers[n - 1], newcomers[n - 2]];
    for (const { address } of comes === undefined ? [] : world.nodes) comes?.dial(address);
    if (acts !== undefined) exhaust(acts, (place) => statement(n * many + place), many, demand);
    leaves?.leave();
  });
  return newcomers;
}

function exhaust(newcomer: Attacker, statement: (place: number) => EventMaker, many: number, demand: Demand): void {
  for (let place = 0; place < many; place++)
    newcomer.push(statement(place)({ origin: newcomer.wallet, at: newcomer.now() }));
  for (const victim of newcomer.victims) {
    for (let asked = 0; asked < ASKED; asked++) newcomer.send(victim, OFS_GOSSIP, "GossipSetRequest", demand.set);
    newcomer.send(victim, OFS_GOSSIP, "GossipFetchRequest", demand.fetch);
  }
}

function demandOf({ world }: Attacker, network: NetworkProfile): Demand {
  const profile = world.crypto.sha256(utf8(profileText(network, 0n as EpochMillis)));
  const ranges = Array.from({ length: RANGES }, () => ({ prefix: "", digest: new Uint8Array(16).fill(1) }));
  return {
    set: encodeCompact(SetRequest, { profile, ranges }),
    fetch: encodeCompact(FetchRequest, { identities: [], prefixes: [""] }),
  };
}
