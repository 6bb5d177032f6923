// Goal: the rate limit is a burst, then one call per interval, for each client and for nothing but calls and streams.
// Source: protocol 01 §10.4, W21.
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { clientFinder } from "../../adapters/http/client-address.ts";
import { openLateRefusals } from "../../adapters/http/late-refusals.ts";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { openRateLimit } from "../../adapters/http/rate-limit.ts";
import { forAll } from "../property/for-all.ts";
import { NEVER_MS, until } from "../until.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode, post } from "./fake-node.ts";

const RATE = { burst: 120, intervalMs: 500, clientsMax: 1000 };

describe("over HTTP", () => {
  /** A node under the protocol's own limit, with a clock that stands still until it is moved. */
  async function limited(options: { trustedProxies?: string[] } = {}): Promise<FakeNode & { clock: { now: number } }> {
    const clock = { now: 1000 };
    const node = await fakeNode({ limits: { rate: DEFAULT_LIMITS.rate }, clock: () => clock.now, ...options });
    return Object.assign(node, { clock });
  }

  test("the 121st call of a burst answers 429, and one more goes through per 500 ms", async () => {
    const node = await limited();
    for (let n = 1; n <= 120; n += 1) expect((await post(node, "{}")).status).toBe(200);
    const refused = await post(node, "{}");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("0");
    expect(refused.headers.get("x-ratelimit-after")).toBe("0");
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(await refused.text()).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"RATE_LIMIT_EXCEEDED",' +
        '"data":{"ofsErrorCode":9,"ofsErrorName":"RATE_LIMIT_EXCEEDED","ofsRetryable":true}}}',
    );
    node.clock.now += 499;
    expect((await post(node, "{}")).status).toBe(429);
    node.clock.now += 1;
    expect([(await post(node, "{}")).status, (await post(node, "{}")).status]).toEqual([200, 429]);
    expect(node.calls.length).toBe(121);
  });

  test("a refusal waits where it may, and one more is given at once; a server that closes gives those that wait", async () => {
    const rate = { burst: 1, intervalMs: 500, clientsMax: 10 };
    const node = await fakeNode({ limits: { rate, refusalMs: NEVER_MS, refusalsWaitingMax: 1 }, clock: () => 0 });
    expect((await post(node, "{}")).status).toBe(200);
    const order: string[] = [];
    const waits = post(node, "{}").then(({ status }) => order.push(`first ${status}`));
    await until(() => node.port.counts().refused["call-rate"] === 1);
    order.push(`second ${(await post(node, "{}")).status}`);
    await node.close();
    await waits;
    expect(order).toEqual(["second 429", "first 429"]);
  });

  test("refusals come in the order of those whom they refuse, each once, and none after its server closed", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const [given, late] = [[] as number[], openLateRefusals({ refusalMs: 100, refusalsWaitingMax: 3 })];
    const refuse = (n: number) => late.later(() => given.push(n));
    refuse(1);
    vi.advanceTimersByTime(60);
    refuse(2);
    refuse(3);
    refuse(4);
    expect(given).toEqual([4]);
    vi.advanceTimersByTime(40);
    expect(given).toEqual([4, 1]);
    refuse(5);
    vi.advanceTimersByTime(60);
    expect(given).toEqual([4, 1, 2, 3]);
    late.stop();
    expect(given).toEqual([4, 1, 2, 3, 5]);
    refuse(6);
    vi.advanceTimersByTime(1_000);
    expect(given).toEqual([4, 1, 2, 3, 5, 6]);
    vi.useRealTimers();
  });

  test("a batch counts as the calls that are in it, and the next call waits for all of them", async () => {
    const node = await limited();
    const batch = `[${Array.from({ length: 100 }, () => "{}").join(",")}]`;
    expect((await post(node, ` ${batch}`)).status).toBe(200);
    expect((await post(node, batch)).status).toBe(200);
    // 200 calls of which 120 were free: the 201st may come once 81 intervals have passed.
    const refused = await post(node, "{}");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    node.clock.now += 81 * 500 - 1;
    expect((await post(node, "{}")).status).toBe(429);
    node.clock.now += 1;
    expect((await post(node, "{}")).status).toBe(200);
    expect(node.calls.length).toBe(3);
  });

  test("a body counts as one call more for each 32 KiB, and the largest may come at once", async () => {
    const largest = `{${" ".repeat(2 * 1024 * 1024 - 2)}}`;
    const node = await limited();
    expect((await post(node, largest)).status).toBe(200);
    for (let n = 66; n <= 120; n += 1) expect((await post(node, "{}")).status).toBe(200);
    expect((await post(node, "{}")).status).toBe(429);

    const fine = await limited();
    for (let n = 1; n <= 120; n += 1) expect((await post(fine, `{${" ".repeat(32_765)}}`)).status).toBe(200);
    expect((await post(fine, "{}")).status).toBe(429);
    const counted = await limited();
    for (let n = 1; n <= 60; n += 1) expect((await post(counted, `{"é":"${" ".repeat(32_759)}"}`)).status).toBe(200);
    expect((await post(counted, "{}")).status).toBe(429);
  });

  test("of bodies that come at once, none is read on credit that the others have used", async () => {
    const largest = `{${" ".repeat(2 * 1024 * 1024 - 2)}}`;
    const node = await limited();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(node, largest)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(18);
    for (const answer of refused) expect(answer.headers.has("retry-after")).toBe(true);
    expect([node.calls.length, node.port.counts().refused["call-rate"]]).toEqual([2, 18]);
  });

  test("what is no batch is one call", async () => {
    const node = await limited();
    for (const body of ["[{},{},", "[]", '{"id":[1,2,3]}', "[{}]"]) await post(node, body);
    for (let n = 5; n <= 120; n += 1) expect((await post(node, "{}")).status).toBe(200);
    expect((await post(node, "{}")).status).toBe(429);
  });

  test("preflights and the other routes are never counted", async () => {
    const node = await limited();
    for (let n = 1; n <= 130; n += 1) {
      await fetch(`${node.url}/rpc`, { method: "OPTIONS" });
      await fetch(`${node.url}/${["openrpc.json", "docs", "metrics", "health", "rpc", "ws"][n % 6]}`);
    }
    expect((await post(node, "{}")).status).toBe(200);
  });

  test("a refused stream says so before the handshake, and handshakes count like calls", async () => {
    const node = await limited();
    for (let n = 1; n <= 120; n += 1) await post(node, "{}");
    const socket = connect(node.port.address.port, "127.0.0.1");
    socket.write(
      "GET /ws HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    let received = "";
    for await (const chunk of socket) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(received).toMatch(/\r\nretry-after: 0\r\n/);
    expect(received).toMatch(/\r\naccess-control-allow-origin: \*\r\n/);
    expect(received).toMatch(/\{"jsonrpc":"2\.0","id":null,.*"ofsErrorCode":9.*\}$/);
  });

  test("behind a trusted proxy each client has its own burst; a stranger's header is not believed", async () => {
    const behind = await limited({ trustedProxies: ["127.0.0.0/8"] });
    const from = (node: FakeNode, client: string): Promise<Response> =>
      post(node, "{}", { headers: { "x-forwarded-for": client } });
    for (let n = 1; n <= 120; n += 1) await from(behind, "203.0.113.7");
    expect((await from(behind, "203.0.113.7")).status).toBe(429);
    expect((await from(behind, "1.2.3.4, 203.0.113.7")).status).toBe(429);
    expect((await from(behind, "203.0.113.8")).status).toBe(200);
    const open = await limited();
    for (let n = 1; n <= 120; n += 1) await from(open, `203.0.113.${n}`);
    expect((await from(open, "203.0.113.200")).status).toBe(429);
  });

  test("a proxy that is no address is refused with its name", async () => {
    await expect(fakeNode({ trustedProxies: ["10.0.0.1", "10.0.0.0/33"] })).rejects.toThrow("10.0.0.0/33");
  });
});

describe("clients", () => {
  function client(remote: string, forwarded: string | undefined, trusted: readonly string[]): string {
    const finder = clientFinder(trusted);
    if ("wrong" in finder) throw new Error(finder.wrong);
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    return finder.clientOf({ socket: { remoteAddress: remote }, headers } as never);
  }

  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::6", "2001:db8:1:3::/64"],
    ["2001:db8::5:6", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
    ["64:ff9b:1:2:3:4:203.0.113.7", "64:ff9b:1:2::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["1:2:3::4:5:6:7", "1:2:3:0::/64"],
    ["1:2:3::4:5:6:7%eth0.5", "1:2:3:0::/64"],
    ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
    ["::FFFF:203.0.113.77", "203.0.113.77"],
    ["", ""],
  ])("%s counts as %s", (remote, expected) => {
    expect(client(remote, undefined, [])).toBe(expected);
  });

  test.each([
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["10.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["10.0.0.1", "203.10.113.7:1", "203.10.113.7"],
    ["10.0.0.1", "3.100.113.200:65535", "3.100.113.200"],
    ["10.0.0.1", "203.0.113.7:", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.7:x", "10.0.0.1"],
    ["10.0.0.1", "x203.0.113.7:1", "10.0.0.1"],
    ["10.0.0.1", "[2001:db8::1]", "2001:db8:0:0::/64"],
    ["10.0.0.1", "[2001:db8::1]:x", "10.0.0.1"],
    ["10.0.0.1", "x[2001:db8::1]", "10.0.0.1"],
    ["10.0.0.1", "fe80::1%en", "fe80:0:0:0::/64"],
    ["10.0.0.1", "[fe80::1%eth0]:4711", "fe80:0:0:0::/64"],
    ["10.0.0.1", "::ffff:203.0.113.77", "203.0.113.77"],
    ["10.0.0.1", "  203.0.113.7  ,\t10.0.0.2 ", "203.0.113.7"],
    ["10.0.0.1", "10.0.0.2,", "10.0.0.1"],
    ["no address", "203.0.113.7", "no address"],
    ["10.0.0.1", "[2001:db8::1]:4711", "2001:db8:0:0::/64"],
    ["10.0.0.1", "6.6.6.6, 203.0.113.7, 10.0.0.2", "203.0.113.7"],
    ["10.0.0.1", "6.6.6.6, garbage, 10.0.0.2", "10.0.0.2"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["203.0.113.9", "6.6.6.6", "203.0.113.9"],
    ["::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["fd00::1", "203.0.113.7", "203.0.113.7"],
  ])("from %s with %j comes %s", (remote, forwarded, expected) => {
    expect(client(remote, forwarded, ["10.0.0.0/8", "fd00::/8"])).toBe(expected);
  });

  test("several headers are one list, and none is looked at where no proxy is trusted", () => {
    const headers = { "x-forwarded-for": ["6.6.6.6", "203.0.113.7"] };
    const request = { socket: { remoteAddress: "10.0.0.1" }, headers } as never;
    const of = (trusted: readonly string[]) => {
      const finder = clientFinder(trusted);
      return "wrong" in finder ? finder.wrong : finder.clientOf(request);
    };
    expect(of(["10.0.0.1"])).toBe("203.0.113.7");
    expect(of([])).toBe("10.0.0.1");
    const unknown = clientFinder([]);
    expect("wrong" in unknown ? "" : unknown.clientOf({ socket: {}, headers: {} } as never)).toBe("");
  });

  test.each([
    ["10.0.0.1", true],
    ["10.0.0.0/0", true],
    ["10.0.0.0/32", true],
    ["10.0.0.0/33", false],
    ["10.0.0.0/", false],
    ["10.0.0.0/x8", false],
    ["10.0.0.0/8x", false],
    ["10.0.0.0/0008", false],
    ["10.0.0.0/8/8", false],
    ["::1", true],
    ["fd00::/128", true],
    ["fd00::/129", false],
    ["proxy.example", false],
    ["", false],
  ])("%j may be trusted: %s", (text, may) => {
    expect("wrong" in clientFinder([text])).toBe(!may);
  });

  test("a single address is trusted alone, a network as far as it goes", () => {
    expect(client("10.0.0.2", "203.0.113.7", ["10.0.0.1"])).toBe("10.0.0.2");
    expect(client("10.0.1.0", "203.0.113.7", ["10.0.0.0/24"])).toBe("10.0.1.0");
    expect(client("10.0.0.255", "203.0.113.7", ["10.0.0.0/24"])).toBe("203.0.113.7");
    expect(client("fd00:0:0:1::1", "203.0.113.7", ["fd00::/64"])).toBe("fd00:0:0:1::/64");
    expect(client("fd00::2", "203.0.113.7", ["fd00::1"])).toBe("fd00:0:0:0::/64");
  });
});

describe("the bucket", () => {
  test("says how long to wait", () => {
    const limit = openRateLimit({ ...RATE, burst: 2, intervalMs: 3000 });
    expect([limit.take("a", 0), limit.take("a", 0), limit.take("a", 0)]).toEqual([0, 0, 3000]);
    expect([limit.take("a", 2999), limit.take("a", 3000), limit.take("a", 3000)]).toEqual([1, 0, 3000]);
  });

  test("agrees with counting tokens one by one", () => {
    const wait = fc.oneof(fc.nat({ max: 2500 }), fc.constantFrom(0, 1, 499, 500, 501, 60_000));
    forAll(
      [fc.array(wait, { maxLength: 200 }), fc.integer({ min: 1, max: 5 })],
      (waits, burst) => {
        const limit = openRateLimit({ ...RATE, burst });
        let now = 0;
        let tokens = burst;
        const labels = new Set([`burst of ${burst}`]);
        for (const gap of waits) {
          now += gap;
          tokens = Math.min(burst, tokens + gap / RATE.intervalMs);
          // Exact: gaps are whole milliseconds, and 1/500 errs by far less than half a millisecond.
          const allowed = tokens > 1 - 1e-9;
          if (allowed) tokens -= 1;
          const left = limit.take("a", now);
          expect(left === 0).toBe(allowed);
          if (!allowed) expect(left).toBe(Math.round((1 - tokens) * RATE.intervalMs));
          labels.add(allowed ? "goes on" : left === 1 ? "refused by a millisecond" : "refused");
          if (tokens > burst - 1 - 1e-9) labels.add("had its whole burst");
        }
        return [...labels];
      },
      {
        runs: 100,
        sample: 100,
        shares: {
          ...{ "goes on": 0.8, refused: 0.5, "refused by a millisecond": 0.1, "had its whole burst": 0.5 },
          ...{ "burst of 1": 0.1, "burst of 5": 0.1 },
        },
      },
    );
  });

  test("remembers a bounded number of clients, and forgets those that have their whole burst again", () => {
    const limit = openRateLimit({ ...RATE, clientsMax: 3 });
    for (const name of ["a", "b", "a", "c", "d"]) limit.take(name, 0);
    expect(limit.clients()).toBe(3);
    limit.take("e", 60_000);
    expect(limit.clients()).toBe(1);
  });

  test("the client forgotten first is the one longest unheard of", () => {
    const limit = openRateLimit({ burst: 2, intervalMs: 1000, clientsMax: 2 });
    for (const name of ["a", "b", "a", "c"]) limit.take(name, 0);
    // Whoever is remembered has used up its burst; b has not, because it was forgotten.
    limit.take("c", 0);
    expect([limit.take("c", 0) > 0, limit.take("a", 0) > 0]).toEqual([true, true]);
    expect([limit.take("b", 0), limit.take("b", 0)]).toEqual([0, 0]);
  });
});
