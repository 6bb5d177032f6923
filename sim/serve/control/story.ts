/**
 * The story of one trade across nodes and chain, gathered from the events that are kept and from the chain's own
 * history. Source: DESIGN section 6 "serve"; protocol 03 D.2, the escrow of a reservation.
 */
import type { EpochMillis, Reader } from "../../../core/index.ts";
import { recordsOf, tables } from "../../../core/index.ts";
import {
  chainAddresses,
  disputeById,
  known,
  reservationAt,
  reservationById,
  reservationNumber,
  simulatedProfile,
} from "../../../core/testing.ts";
import { WORLD_START } from "../../world.ts";
import type { LoggedEvent } from "../event-log.ts";
import type { WorldHost } from "../world-host.ts";
import { instructionsOf } from "./instruction-names.ts";

/**
 * The state of a record of an id as a node answers it: rows of reservations and cases hold none, theirs follows from
 * what else the node knows, and a reservation's from its clock. Source: CONVERGENCE "Records and ids".
 */
const STATES = {
  advertisement: (view, id) => membersOf(view, "advertisements", id, "status"),
  reservation(view, id, now) {
    const shown = reservationById(view, id);
    return shown === undefined ? [] : [reservationAt(view, shown, now).state];
  },
  settlement: (view, id) => membersOf(view, "settlements", id, "state"),
  dispute: (view, id) => disputeById(view, id)?.status ?? [],
} as const satisfies Record<string, (view: Reader, id: string, now: EpochMillis) => readonly string[] | string>;

/** One thing that happened in a trade. */
interface Line {
  readonly at: bigint;
  readonly text: string;
  readonly nodes: { readonly node: number; readonly at: bigint; readonly from: number | null }[];
  readonly slot: bigint | null;
  readonly signature: string | null;
  readonly failed: boolean;
}

const instant = (at: number): bigint => WORLD_START + BigInt(at);

/** The story of the trade that has a record of this id; nothing where no kept event names one. */
export function storyOf(host: WorldHost, id: string) {
  const kept = host.live().events.after(0);
  const start = kept.flatMap(({ about }) => about.filter((record) => idOf(record) === id));
  const [first] = start;
  if (first === undefined) return undefined;
  const about = relatedTo(kept, new Set(start));
  const ofTrade = kept.filter((event) => event.kind === "statement" && isOf(event, about));
  const lines = [...statementLines(ofTrade), ...chainLines(host, kept, about)];
  lines.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return { id, about: [...about], lines, shows: shownOf(host, about) };
}

/** Other trades share an advertisement with this one: it leads to none of them. */
function relatedTo(kept: readonly LoggedEvent[], start: ReadonlySet<string>): ReadonlySet<string> {
  const about = new Set(start);
  for (let before = 0; before < about.size; ) {
    before = about.size;
    for (const event of kept) {
      const leads = event.about.some((record) => about.has(record) && !record.startsWith("advertisement:"));
      if (leads) for (const record of event.about) about.add(record);
    }
  }
  return about;
}

function isOf({ about: named }: LoggedEvent, about: ReadonlySet<string>): boolean {
  return named.length > 0 && named.every((record) => about.has(record));
}

/** One line a statement: when it was first taken, and when it came to each node. */
function statementLines(events: readonly LoggedEvent[]): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const { text, about, statement, node, at, from } of events) {
    if (node === null || statement === null) continue;
    const line = lines.get(statement) ?? {
      ...{ at: instant(at), text: `${text} ${idOf(about[0] ?? "")}`, nodes: [] },
      ...{ slot: null, signature: null, failed: false },
    };
    lines.set(statement, line);
    // A node that lost its disk takes it again.
    if (line.nodes.some((reached) => reached.node === node)) continue;
    line.nodes.push({ node, at: instant(at), from: typeof from === "number" ? from : null });
  }
  return [...lines.values()];
}

/** The transactions of the escrows and cases of a trade, and which nodes saw each. */
function chainLines(host: WorldHost, kept: readonly LoggedEvent[], about: ReadonlySet<string>): readonly Line[] {
  const { cluster } = host.live().supply;
  const at = chainAddresses(host.world().crypto, simulatedProfile);
  const numbers = [...about].flatMap((record) => {
    return record.startsWith("reservation:") ? (reservationNumber(idOf(record)) ?? []) : [];
  });
  const addresses = numbers.flatMap((number) => [at.tradeEscrow(number).address, at.disputeCase(number).address]);
  const found = addresses.flatMap((address) => cluster.signaturesForAddress(address, { commitment: "processed" }));
  const bySignature = new Map(found.map((one) => [one.signature, one] as const));
  return [...bySignature.values()].map(({ signature, slot, blockTime, err, message }) => {
    const seen = new Map<number, bigint>();
    for (const event of kept)
      if (event.signature === signature && event.node !== null && !seen.has(event.node))
        seen.set(event.node, instant(event.at));
    return {
      ...{ at: blockTime * 1_000n, text: instructionsOf(message).join(", "), slot, signature, failed: err !== null },
      nodes: [...seen].map(([node, when]) => ({ node, at: when, from: null })),
    };
  });
}

/** What every node that is up shows of the trade's records. */
function shownOf(host: WorldHost, about: ReadonlySet<string>) {
  const world = host.world();
  return Object.entries(STATES).flatMap(([kind, stateOf]) => {
    const ids = [...about].filter((record) => record.startsWith(`${kind}:`)).map(idOf);
    return world.nodes.flatMap(({ index: node, driver, skewMs }) => {
      const view = driver()?.view;
      if (view === undefined) return [];
      const now = (world.loop.epoch() + BigInt(skewMs())) as EpochMillis;
      return ids.flatMap((id) => {
        return [stateOf(view, id, now)].flat().map((state) => ({ node, record: `${kind} ${id}`, state }));
      });
    });
  });
}

/** A member of every row of a table that bears an id. */
function membersOf(view: Reader, named: string, id: string, member: string): readonly string[] {
  const table = known(
    tables.find(({ name }) => name === named),
    named,
  );
  return recordsOf(view, table, "id", id).map((row) => String((row as Readonly<Record<string, unknown>>)[member]));
}

function idOf(record: string): string {
  return record.slice(record.indexOf(":") + 1);
}
