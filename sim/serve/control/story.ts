/**
 * The story of one trade across nodes and chain, gathered from the events that are kept and from the chain's own
 * history. Source: DESIGN section 6 "serve"; protocol 03 D.2, the escrow of a reservation.
 */
import { tables } from "../../../core/index.ts";
import { chainAddresses, reservationNumber, simulatedProfile } from "../../../core/testing.ts";
import { WORLD_START } from "../../world.ts";
import type { LoggedEvent } from "../event-log.ts";
import type { WorldHost } from "../world-host.ts";
import { instructionsOf } from "./instruction-names.ts";

/** Where a record's state stands: its table, and the member that names it. */
const STATES = [
  { kind: "advertisement", table: "advertisements", member: "status" },
  { kind: "reservation", table: "reservations", member: "state" },
  { kind: "settlement", table: "settlements", member: "state" },
  { kind: "dispute", table: "disputes", member: "status" },
] as const;

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
  return STATES.flatMap(({ kind, table: named, member }) => {
    const table = tables.find(({ name }) => name === named);
    const ids = new Set([...about].filter((record) => record.startsWith(`${kind}:`)).map(idOf));
    if (table === undefined || ids.size === 0) return [];
    return host.world().nodes.flatMap(({ index: node, driver }) => {
      const view = driver()?.view;
      return [...(view?.keys(table) ?? [])].flatMap((key) => {
        const record = view?.get(table, key) as Readonly<Record<string, unknown>> | undefined;
        if (record === undefined || !ids.has(String(record.id))) return [];
        return [{ node, record: `${kind} ${String(record.id)}`, state: String(record[member]) }];
      });
    });
  });
}

function idOf(record: string): string {
  return record.slice(record.indexOf(":") + 1);
}
