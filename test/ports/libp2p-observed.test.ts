// Goal: whoever dialled is told where its peer sees it, and whoever was dialled is told nothing that the dialler says.
// Method: two production transports over sockets of the loopback; identify is the library's. Source: protocol 01 §5.2,
// §5.5.
import { expect, onTestFinished, test } from "vitest";
import { until } from "../until.ts";
import { closed, openTransport } from "./libp2p-network.ts";
import { Witness } from "./transport-witness.ts";

async function open(): Promise<Witness> {
  const witness = new Witness();
  const transport = await openTransport(witness.events);
  onTestFinished(() => closed(transport));
  witness.node = { peer: transport.peer, port: transport };
  return witness;
}

test("the dialler is told where it is seen, and nobody else is told anything", async () => {
  const [dialler, middle, last] = [await open(), await open(), await open()];
  for (const [from, to] of [
    [dialler, middle],
    [middle, last],
  ] as const) {
    from.port.dial(to.address);
    await until(() => from.observed.some(({ peer }) => peer === to.peer));
  }
  expect(middle.observed.map(({ peer }) => peer)).toEqual([last.peer]);
  expect(last.observed).toEqual([]);
  expect(dialler.observed).toEqual([
    { peer: middle.peer, address: expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+(?:\/p2p\/\w+)?$/) },
  ]);
});
