// Goal: a server at "localhost" is one server, whose bounds hold for whoever finds it.
// Method: a machine on which the name stands for an address of either family, as on most; real sockets to both.
import dns from "node:dns";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeNode } from "./fake-node.ts";

const BOTH = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
const { lookup } = dns;

beforeEach(() => {
  Object.assign(dns, {
    lookup(name: string, ...told: readonly unknown[]) {
      if (name !== "localhost") return Reflect.apply(lookup, dns, [name, ...told]);
      const done = told.at(-1) as (...found: unknown[]) => void;
      const { all } = (told.length > 1 ? told[0] : {}) as { readonly all?: boolean };
      done(null, ...(all === true ? [BOTH] : Object.values(BOTH[0] ?? {})));
    },
  });
});
afterEach(() => void Object.assign(dns, { lookup }));

/** Whether somebody listens there. */
function answersAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

test("a server at localhost listens at one address alone", async () => {
  const { port } = (await fakeNode({ host: "localhost" })).port.address;
  expect(await Promise.all(BOTH.map(({ address }) => answersAt(address, port)))).toEqual([true, false]);
});
