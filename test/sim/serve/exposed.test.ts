// Goal: a network listens where it is told, its chain too, and who serves it is told of each broken law once.
// Method: ports that nobody has at the usual address of loopback; laws that a test breaks in a running network.
import { expect, test } from "vitest";
import { watchBrokenLaws } from "../../../sim/serve/broken-laws.ts";
import { ownPlace } from "../../own-place.ts";
import { controlOf, openTestServed, posted } from "./test-network.ts";

test("nodes, chain and control listen at the address that was given, and at no other", async () => {
  const { host, port } = ownPlace();
  const places = { host, port, chainPort: port + 1, controlPort: port + 3 };
  const { ready } = await openTestServed({ ...places, nodes: 1, gossipOnly: 0 });
  const urls = [ready.nodes[0]!.rpc, ready.chain.rpc, ready.control.rpc];
  for (const [n, url] of urls.entries()) expect(new URL(url).host).toBe(`${host}:${[port, port + 1, port + 3][n]}`);
  expect(new URL(ready.chain.ws).host).toBe(`${host}:${port + 2}`);
  const slot = JSON.parse(await posted(ready.chain.rpc, "getSlot", [])) as { readonly result: number };
  expect(slot.result).toBeGreaterThanOrEqual(0);
  for (const url of urls) await expect(posted(url.replace(host, "127.0.0.1"), "getSlot", [])).rejects.toThrow();
});

test("a broken law is told once, also when the network goes back to before it and it breaks again", async () => {
  const network = await openTestServed({ nodes: 1, gossipOnly: 0 });
  const control = controlOf(network);
  const lines: string[] = [];
  watchBrokenLaws(network.host, (line) => lines.push(line));
  const { id } = await control.call("sim_snapshot");
  const breaks = async (law: string) => {
    await network.host.exclusive(() => network.host.world().violate(law, "it did not hold"));
    await control.call("sim_getStatus");
  };
  await breaks("one");
  await breaks("two");
  const at = network.host.world().loop.now();
  const told = [`law one broke at ${at} ms: it did not hold`, `law two broke at ${at} ms: it did not hold`];
  expect(lines).toEqual(told);
  await control.call("sim_revert", { id });
  expect((await control.call("sim_getStatus")).violations).toEqual([]);
  await breaks("one");
  expect(lines).toEqual(told);
  await breaks("three");
  expect(lines).toHaveLength(3);
  for (let law = 0; law < 200; law += 1) network.host.world().violate(`law ${law}`, "it did not hold");
  await control.call("sim_getStatus");
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe("further laws broke: sim_getStatus tells of them");
});
