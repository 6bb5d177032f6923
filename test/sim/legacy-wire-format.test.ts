/**
 * Goal: a simulated node that is told to speaks to its clients as older nodes do, and the typed client reads it all the
 * same; the node beside it speaks as ever.
 * Method: two nodes on one network, the typed client over a client's link to each.
 */
import { expect, test } from "vitest";
import { openClient } from "../../adapters/client/client.ts";
import { serviceIds } from "../../adapters/client/older-nodes.ts";
import { fromBase58 } from "../../core/index.ts";
import { openLegacyWireFormat } from "../../sim/legacy-wire-format.ts";
import { merchant, offer, T } from "../client/offer.ts";
import type { TestNetwork } from "../content/network.ts";
import { networkOfNodes } from "../content/network.ts";

const [TODAY, OLDER] = [0, 1];
const named = { ...offer, id: "ad-1" };

const clientOf = (network: TestNetwork, node: number) =>
  openClient({
    url: `http://node-${node}/rpc`,
    fetch: async (_, call) => new Response(await network.post(node, String(call?.body))),
  });

const request = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

test("keys are arrays of integers, and the client reads every digit", async () => {
  const network = await networkOfNodes(2, T, { older: [OLDER] });
  await clientOf(network, OLDER).send("sendAdvertisementCreate", named, merchant);
  await network.pass(2_000);
  const read = request("getAdvertisement", { id: "ad-1" });
  const [plain, old] = [await network.post(TODAY, read), await network.post(OLDER, read)];
  expect(plain).toContain(`"merchant_public_key":"${offer.merchant_public_key}"`);
  expect(old).toBe(plain.replace(`"${offer.merchant_public_key}"`, `[${[...merchant.publicKey].join(",")}]`));
  const shown = await clientOf(network, OLDER).call("getAdvertisement", { id: "ad-1" });
  expect(shown).toEqual(await clientOf(network, TODAY).call("getAdvertisement", { id: "ad-1" }));
  const batch = await network.post(OLDER, `[${read},{"jsonrpc":"2.0","method":"getHealth"},${read}]`);
  expect(batch).toBe(`[${old},${old}]`);
});

test("the checkpoint has its old name only", async () => {
  const network = await networkOfNodes(2, T, { older: [OLDER] });
  const [now, old] = ["getCheckpointSlot", "getCheckpointHeight"];
  expect(await network.ask(TODAY, now, {})).toBeNull();
  expect(await network.ask(TODAY, old, {})).toBe(-32_601);
  expect(await network.ask(OLDER, now, {})).toBe(-32_601);
  expect(await network.ask(OLDER, old, {})).toBeNull();
  expect(await clientOf(network, OLDER).call("getCheckpointSlot")).toBeNull();
});

test("services go by ids of eight bytes, and are found under no others", async () => {
  const network = await networkOfNodes(2, T, { older: [OLDER], publicRpcUrl: "https://rpc.openfiat.network/rpc" });
  await network.pass(130_000);
  const key = fromBase58(network.world.nodes[0]?.wallet.publicKey ?? "") ?? new Uint8Array(0);
  const [today, old] = serviceIds("node", key);
  const listed = await network.post(OLDER, request("getProviders"));
  expect(listed).toContain(`"${old}"`);
  expect(listed).not.toContain(today);
  expect(await network.ask(OLDER, "getProvider", { id: old })).toMatchObject({ service_id: old });
  expect(await network.ask(OLDER, "getProvider", { id: today })).toBeNull();
  expect(await network.ask(TODAY, "getProvider", { id: old })).toBeNull();
  const shown = await clientOf(network, OLDER).call("getProvider", { id: old });
  expect(shown).toEqual({ ...(await clientOf(network, TODAY).call("getProvider", { id: today })), service_id: old });
});

test("what is no JSON, and an answer that is none, pass as they are", () => {
  const legacyFormat = openLegacyWireFormat(() => []);
  expect(legacyFormat.decode("{")).toBe("{");
  expect(legacyFormat.encode("{", "[]")).toBe("[]");
});
