/**
 * What happens in a trade is told to those whom it concerns and to nobody else: a payment to its seller, an approval
 * and a release to both parties, through every gateway that they chose and that is there. What a node had still to hand
 * over when it went down it hands over at its next start. Whom a notice goes to shows to nobody else, so nothing else
 * sees one that is lost or led astray. Worked out from the settlements that change, apart from the core's triggers.
 * Source: protocol 04 §6.6, §6.12.
 */
import type { Change, Reader } from "../../core/index.ts";
import type { CaseRow } from "../../core/testing.ts";
import { Dispatches, Disputes, Settlements, Statements } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";
import { rowsOf } from "./papers-model/held.ts";

/** How long a service is there after its provider was last heard of. Source: protocol 05 §1.11. */
const LAPSE_MS = 600_000n;
/** Health in which a gateway is handed anything. Source: protocol 04 §6.6. */
const HEALTHY: readonly unknown[] = ["Online", "Maintenance"];
const SUBSCRIPTIONS = "notification_subscriptions";

interface Parties {
  readonly buyer: string;
  readonly seller: string;
}

interface Settled extends Parties {
  readonly state: string;
  readonly released: boolean;
}

/** A reservation, by the identities of what it rests on. */
interface Made {
  readonly request: string;
  readonly advertisement: string;
}

interface Dispatch {
  readonly recipient_wallet: string;
  readonly trigger: string;
  readonly service_id: string;
  readonly status: string;
}

/** What a settlement newly came to, and whom that concerns. Source: protocol 04 §6.6. */
const OF_TRADES: Readonly<Record<string, (row: Settled) => readonly string[]>> = {
  PaymentSubmitted: ({ state, seller }) => (state === "PaymentSubmitted" ? [seller] : []),
  SettlementApproved: ({ state, buyer, seller }) => (state === "Approved" ? [buyer, seller] : []),
  EscrowReleased: ({ released, buyer, seller }) => (released ? [buyer, seller] : []),
};

/** Nobody misses what concerns him, or hears what does not. */
export function noticesReachWhomTheyConcern({ violate, keep, profile, tables }: CheckContext): Checker {
  if (profile.parity || tables !== undefined) return { name: "notices-reach-whom-they-concern" };
  /** By node, what settlements were and which dispatches there are; nothing of a node that has not started. */
  const nodes = keep(() => new Map<number, { readonly were: Map<string, string>; readonly sent: Set<string> }>());
  const forget = (node: number) => void nodes.delete(node);
  return {
    name: "notices-reach-whom-they-concern",
    onStep({ node, input, changes, effects, view }) {
      if (input.type === "store.loaded") return forget(node);
      if (input.type === "started") {
        nodes.set(node, { were: comeTo(view), sent: new Set(view.keys(Dispatches)) });
        for (const key of queuedIn(view))
          if (!handsOver(effects, key)) violate(`node ${node} starts and does not hand over ${key}, which is queued`);
        return;
      }
      const known = nodes.get(node);
      if (known === undefined) return;
      for (const { key, record } of changes.filter(({ table }) => table === Dispatches.name)) {
        const isNew = !known.sent.has(key);
        if (record === undefined) known.sent.delete(key);
        else known.sent.add(key);
        if (record === undefined || !isNew) continue;
        const { recipient_wallet: recipient, trigger } = record as Dispatch;
        const meant = concerned(changes, view, trigger);
        if (meant?.has(recipient) === false)
          violate(`node ${node} tells ${recipient} of ${trigger}, which does not concern him`);
      }
      for (const { key, record } of changes.filter(({ table }) => table === Settlements.name)) {
        const before = known.were.get(key) ?? "";
        const now = record === undefined ? "" : triggersOf(record as Settled);
        known.were.set(key, now);
        for (const trigger of now.split(" ").filter((each) => each !== "" && !before.includes(each)))
          for (const recipient of OF_TRADES[trigger]?.(record as Settled) ?? [])
            for (const service of chosenBy(view, recipient, input.now))
              if (!isTold(view, recipient, trigger, service))
                violate(`node ${node} does not tell ${recipient} of ${trigger} through ${service}, which is there`);
      }
    },
    onCrash: ({ node }) => forget(node),
    onCommit: ({ node, report }) => (report.type === "failed" ? forget(node) : undefined),
  };
}

/** Whom something concerns that a step brought about; nothing where it is for whoever wants to know. */
function concerned(changes: readonly Change[], view: Reader, trigger: string): ReadonlySet<string> | undefined {
  const records = <R>(table: string) =>
    changes.flatMap((change) => (change.table === table && change.record !== undefined ? [change.record as R] : []));
  const ofTrades = OF_TRADES[trigger];
  if (ofTrades !== undefined) return new Set(records<Settled>(Settlements.name).flatMap(ofTrades));
  if (trigger === "EvidenceRequested" || trigger === "ResolutionIssued") {
    return new Set(
      records<CaseRow>(Disputes.name)
        .filter(({ decided }) => decided === (trigger === "ResolutionIssued"))
        .flatMap(({ buyer, seller }) => [buyer, seller]),
    );
  }
  if (trigger !== "ReservationCreated") return undefined;
  return new Set(
    records<Made>("reservations").flatMap(({ request, advertisement }) =>
      [request, advertisement].flatMap((identity) => view.get(Statements, identity)?.signer ?? []),
    ),
  );
}

/** What each settlement has come to, by its key. */
function comeTo(view: Reader): Map<string, string> {
  return new Map(rowsOf(view, Settlements.name).map(({ key, row }) => [key, triggersOf(row as unknown as Settled)]));
}

function triggersOf(row: Settled): string {
  return Object.keys(OF_TRADES)
    .filter((trigger) => (OF_TRADES[trigger]?.(row) ?? []).length > 0)
    .join(" ");
}

/** Gateways that a person chose for what happens in trades, which nobody contests and which are there. */
function chosenBy(view: Reader, person: string, now: bigint): readonly string[] {
  const wanted = rowsOf(view, SUBSCRIPTIONS).find(({ key }) => key === person)?.row;
  if (wanted === undefined || !(wanted.enabled_categories as readonly string[]).includes("Trading")) return [];
  const services = rowsOf(view, "services").map(({ row }) => row);
  return (wanted.destinations as readonly { readonly service_id: string; readonly channel: string }[]).flatMap(
    ({ service_id, channel }) => {
      const [service, rival] = services.filter((each) => each.service_id === service_id);
      if (service === undefined || rival !== undefined) return [];
      const { health, service_type, endpoints, withdrawn_at, last_health_update } = service;
      const isThere = withdrawn_at === null && (last_health_update as bigint) >= now - LAPSE_MS;
      const fits = (service_type as { readonly Notifications?: string }).Notifications === channel;
      return isThere && fits && HEALTHY.includes(health) && (endpoints as readonly string[]).length > 0
        ? [service_id]
        : [];
    },
  );
}

function isTold(view: Reader, recipient: string, trigger: string, service: string): boolean {
  return [...view.keys(Dispatches)].some((key) => {
    const told = view.get(Dispatches, key);
    return told?.recipient_wallet === recipient && told.trigger === trigger && told.service_id === service;
  });
}

function queuedIn(view: Reader): readonly string[] {
  return [...view.keys(Dispatches)].filter((key) => view.get(Dispatches, key)?.status === "Queued");
}

function handsOver(effects: StepSeen["effects"], key: string): boolean {
  return effects.some((effect) => effect.type === "notification.deliver" && effect.dispatch === key);
}
