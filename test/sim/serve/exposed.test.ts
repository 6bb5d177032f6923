// Goal: a network listens where it is told, its chain too, its control takes nothing from pages of other sites, and who
// serves it is told of each broken law once.
// Method: ports that nobody has at the usual address of loopback; the headers that browsers send for a page; laws that
// a test breaks in a running network.
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
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

describe("control without a token", () => {
  /** The status of a call with these headers, which a page cannot choose. */
  function asked(rpc: string, headers: Readonly<Record<string, string>>, method = "POST"): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = request(rpc, { method, headers }, (response) => {
        let text = "";
        response.on("data", (part: Buffer) => {
          text += part;
        });
        response.on("end", () => resolve(`${response.statusCode} ${text}`));
      });
      call.on("error", reject);
      call.end(method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"sim_getTime"}' : undefined);
    });
  }

  function streamed(url: string, origin: string): Promise<string> {
    const socket = new WebSocket(url, { origin });
    return new Promise<string>((resolve) => {
      socket.once("unexpected-response", (_, { statusCode }) => resolve(String(statusCode)));
      socket.once("open", () => resolve("open"));
      socket.once("error", () => undefined);
    }).finally(() => socket.terminate());
  }

  test("is called by loopback's own names and from its pages, and by no other", async () => {
    const { rpc, ws, url } = (await openTestServed({ nodes: 1, gossipOnly: 0 })).ready.control;
    const { port } = new URL(rpc);
    for (const headers of [
      {},
      { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      { host: `[::1]:${port}` },
      { origin: "http://127.0.0.1:5173" },
    ])
      expect(await asked(rpc, headers)).toMatch(/^200 .*"result"/);
    const name = "403 control without a token is called by an address of loopback, and by no other name";
    const site = "403 control without a token takes nothing from other sites";
    for (const host of ["attacker.example", `attacker.example:${port}`, "127.0.0.1.attacker.example", "10.0.0.1", ":"])
      for (const [at, method] of [
        [rpc, "POST"],
        [rpc, "OPTIONS"],
        [url, "GET"],
      ] as const)
        expect(await asked(at, { host }, method)).toBe(name);
    for (const origin of ["https://attacker.example", "http://localhost.attacker.example", "null", "file://"]) {
      expect(await asked(rpc, { origin, "content-type": "text/plain" })).toBe(site);
      expect(await asked(rpc, { origin }, "OPTIONS")).toBe(site);
      expect(await streamed(ws, origin)).toBe("403");
    }
    expect(await streamed(ws, `http://localhost:${port}`)).toBe("open");
  });

  test("and one with a token asks for nothing else", async () => {
    const token = "a-token-of-some-length";
    const { rpc } = (await openTestServed({ nodes: 1, gossipOnly: 0, token })).ready.control;
    const origin = "https://wallet.example";
    expect(await asked(rpc, { origin, authorization: `Bearer ${token}` })).toMatch(/^200 .*"result"/);
  });
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
