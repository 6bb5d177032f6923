/**
 * The gateways of the simulated world, as a node reaches them: every delivery takes its time and most are taken.
 * Source: protocol 04 §6.6; DESIGN section 5.
 */
import type { GatewayPort, TellDelivered } from "../core/ports/gateway.ts";
import type { Clock } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import { chance, openStream } from "./random.ts";

/** From an order to its answer. Source: DESIGN "Simulated world". */
const LATENCY: Distribution = { type: "uniform", least: 20, most: 400 };
/** Deliveries of a million that fail. Source: DESIGN "Simulated world". */
const FAILURE = 50_000;

/** The gateways as the processes of one node see them, one after another. */
export interface NodeGateway {
  /** The port of a new process; its decisions are drawn under the process's number, from 1 on. */
  open(delivered: TellDelivered): GatewayPort;
  /** The port of the process that a held world had. */
  reopen(delivered: TellDelivered): GatewayPort;
}

/** What a node's gateways have in hand for its process. */
interface HeldGateway {
  life: number;
  open: boolean;
  inHand: Set<string>;
  posted: number;
}

type GatewayDue =
  | { readonly kind: "delivered"; readonly life: number; readonly dispatch: string; readonly taken: boolean }
  | { readonly kind: "closed"; readonly life: number };

/** The gateways of a node that goes by this name. */
export function openNodeGateway(seed: bigint, node: string, clock: Clock): NodeGateway {
  const name = `${node}/gateway`;
  const fresh = (): HeldGateway => ({ life: 0, open: false, inHand: new Set(), posted: 0 });
  const closings = new Map<number, () => void>();
  let tell: TellDelivered | undefined;
  const { held, after } = clock.part(name, fresh, (due: GatewayDue) => {
    if (due.kind === "closed") return closings.get(due.life)?.();
    if (held.life !== due.life) return;
    held.inHand.delete(due.dispatch);
    if (held.open) tell?.(due.dispatch, due.taken);
  });

  function portOf(delivered: TellDelivered): GatewayPort {
    tell = delivered;
    const { life } = held;
    const decisions = openStream(seed, `${name}/${life}`);
    return {
      deliver({ dispatch }) {
        if (!held.open || held.life !== life || held.inHand.has(dispatch)) return;
        held.inHand.add(dispatch);
        const n = 2 * held.posted++;
        const taken = !chance(decisions, n + 1, FAILURE);
        after(sample(LATENCY, decisions, n), { kind: "delivered", life, dispatch, taken });
      },
      close(done) {
        if (held.life === life) held.open = false;
        closings.set(life, done);
        after(0, { kind: "closed", life });
      },
    };
  }

  return {
    open(delivered) {
      Object.assign(held, { life: held.life + 1, open: true, inHand: new Set(), posted: 0 });
      return portOf(delivered);
    },
    reopen: portOf,
  };
}
