/**
 * A node that follows the escrow of a trade on a served chain, by the production adapter and nothing else: what the
 * node asks for is asked over RPC, what the adapter tells is all that the node is told, and its clock runs ten seconds
 * between two looks. Source: protocol 03 A.10.3 R3, R4, R8.
 */

import { peerOfKey, publicKeyText } from "../../core/index.ts";
import type { LookupTable } from "../../sim/chain/lookup-tables.ts";
import type { ServerConditions } from "../../sim/chain/server/conditions.ts";
import type { Instruction } from "../../sim/chain/transaction.ts";
import { signTransaction } from "../../sim/chain/transaction.ts";
import type { Core } from "../chain-bridge/case-node.ts";
import { caseNode } from "../chain-bridge/case-node.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import type { Name } from "../sim/chain/chain-world.ts";
import { addressOf, crypto, keyring, wallets } from "../sim/chain/chain-world.ts";
import type { Stage } from "../sim/chain/trade-story.ts";
import { TRADED } from "../sim/chain/trade-story.ts";
import type { RpcChainSetting, RpcChainWorld } from "./rpc-chain-world.ts";
import { openRpcChainWorld } from "./rpc-chain-world.ts";

/** Slots of a second and a bit: 400 ms each. */
const SLOTS_PER_SECOND = 3n;
/** What a node's clock moves by between two looks. Source: protocol 01 §13.2 (chain poll). */
const LOOK_MS = 10_000n;

export interface RpcCase extends Stage {
  readonly node: LoneNode;
  readonly world: RpcChainWorld;
  /** Puts a transaction on the chain past the node; it stands for good. */
  send(instructions: readonly Instruction[], tables?: readonly LookupTable[]): Promise<void>;
  /** Carries word between node and adapter until it holds, or as long as the node has looked at everything. */
  until(holds: () => boolean): Promise<void>;
  /** Carries word between node and adapter once. */
  look(): void;
  /** Looks that the node had since it was opened. */
  looks(): number;
  end(): Promise<void>;
}

interface CaseSetting extends RpcChainSetting {
  readonly core?: Core;
  readonly disputed?: boolean;
}

/** A chain with as many endpoints, and a node over them that knows the trade. */
export async function openRpcCase(
  endpoints: number,
  { core, disputed = true, ...setting }: CaseSetting = {},
  kept: Readonly<Record<number, Partial<ServerConditions>>> = {},
): Promise<RpcCase> {
  const world = await openRpcChainWorld(endpoints, {}, kept, setting);
  const parties = { merchant: personOf("merchant"), taker: personOf("buyer") };
  const node = caseNode({ ...(core && { core }), disputed, parties, amount: TRADED });
  let [carried, observed, looks] = [0, 0, 0];
  const carry = () => {
    for (; carried < node.effects.length; carried += 1) {
      const effect = node.effects[carried];
      if (effect?.type === "chain.watch") world.port.watch(effect.address, effect.commitment);
      else if (effect?.type === "chain.unwatch") world.port.unwatch(effect.address);
      else if (effect?.type === "chain.read") world.port.read(effect.address, effect.slot, effect.commitment);
      else if (effect?.type === "chain.check") world.port.check(effect.signature);
    }
    for (; observed < world.seen.length; observed += 1) {
      const observation = world.seen[observed];
      if (observation !== undefined) node.accept({ type: "chain.observed", observation });
    }
  };
  const look = () => {
    carry();
    node.now += LOOK_MS;
    looks += 1;
    node.accept({ type: "timer.fired", timer: "chain-retry" });
    carry();
  };
  const send = async (payer: Name, instructions: readonly Instruction[], tables: readonly LookupTable[] = []) => {
    const plan = { payer: addressOf(payer), instructions, blockhash: world.blockhash(), tables };
    const sent = world.chain.submit(signTransaction(plan, keyring, crypto));
    if (!sent.ok) throw new Error(sent.error);
    await world.pass(1);
    const status = world.chain.cluster.signatureStatus(sent.value);
    if (status?.err !== null) throw new Error(`it failed: ${JSON.stringify(status?.err)}`);
  };
  carry();
  return {
    node,
    world,
    land: (payer, instruction) => send(payer, [instruction]),
    pass: (seconds) => world.pass(Number(seconds * SLOTS_PER_SECOND)),
    async send(instructions, tables) {
      await send("stranger", instructions, tables);
      await world.pass(40);
    },
    until: (holds) =>
      world.until(() => {
        look();
        return holds();
      }),
    look,
    looks: () => looks,
    end: () => world.end(),
  };
}

function personOf(name: Name): Person {
  const { secretKey, publicKey } = wallets[name];
  return { secret: secretKey, key: publicKeyText(publicKey), peer: peerOfKey(publicKey) };
}
