/**
 * Real nodes on a simulated network, without scenario or checks: asked over their clients' links, driven by virtual
 * time. Source: DESIGN section 5.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import { healthyDisk, openNodeDisk } from "../../sim/disk.ts";
import { healthyLink } from "../../sim/links.ts";
import type { World } from "../../sim/world.ts";
import { createWorld, WORLD_START } from "../../sim/world.ts";
import { toyConfiguration } from "../sim/toy-driver.ts";

export interface TestNetwork {
  readonly world: World;
  /** The answer to a body. */
  post(node: number, body: string): Promise<string>;
  /** `result`, or the registered number or JSON-RPC code of the refusal. */
  ask(node: number, method: string, params: unknown): Promise<unknown>;
  /** Lets virtual milliseconds pass. */
  pass(ms: number): Promise<void>;
  /** Milliseconds until a question is answered as wanted; fails after `within`. */
  until(within: number, wanted: () => Promise<boolean>): Promise<number>;
}

/** Nodes that each dial the one before, with their clocks at an instant, and a few seconds to meet. */
export async function networkOfNodes(
  nodes: number,
  now: bigint,
  { older = [], publicRpcUrl }: { readonly older?: readonly number[]; readonly publicRpcUrl?: string } = {},
): Promise<TestNetwork> {
  const world = createWorld({
    ...{ seed: 1n, label: "test", nodes, crypto: openNativeCrypto(), profile: devnetNetwork, checkers: [] },
    conditions: healthyLink,
    configure: (seat) => ({
      ...{ ...toyConfiguration(seat), profile: devnetNetwork },
      ...(publicRpcUrl && { listing: { publicRpcUrl } }),
    }),
    openDisk: (node, clock, faults) => openNodeDisk({ node, seed: 1n, clock, faults, conditions: healthyDisk }),
    openDriver: createDriver,
    older,
    entrypoints: (node) => (node === 0 ? [] : [node - 1]),
  });
  const network: TestNetwork = {
    world,
    async post(node, body) {
      let answer: unknown;
      world.call(node, undefined, body, (text) => (answer = text));
      for (let ms = 0; ms < 1_000 && answer === undefined; ms += 5) await network.pass(5);
      if (typeof answer !== "string") throw new Error(`node ${node} does not answer ${body}`);
      return answer;
    },
    async ask(node, method, params) {
      const answer = await network.post(node, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      const parsed = JSON.parse(answer) as {
        result?: unknown;
        error?: { code: number; data?: { ofsErrorCode: number } };
      };
      return parsed.error === undefined ? parsed.result : (parsed.error.data?.ofsErrorCode ?? parsed.error.code);
    },
    pass: (ms) => world.loop.runUntil(world.loop.now() + ms),
    async until(within, wanted) {
      const begin = world.loop.now();
      while (world.loop.now() - begin <= within) {
        if (await wanted()) return world.loop.now() - begin;
        await network.pass(50);
      }
      throw new Error(`not within ${within} ms; ${JSON.stringify(world.violations)}`);
    },
  };
  for (const node of world.nodes) {
    node.skewClock(Number(now - WORLD_START));
    node.start();
  }
  await network.pass(5_000);
  return network;
}
