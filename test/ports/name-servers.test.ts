/**
 * Goal: a name that a stranger gave has the addresses that name servers tell, one that they never answer for fails, and
 * however many of those there are, nobody else's names wait for them.
 * Method: a name server on this machine that knows some names, and is silent about others.
 */
import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { once } from "node:events";
import { afterAll, assert, beforeAll, expect, test } from "vitest";
import type { Lookup } from "../../adapters/gateway/addresses.ts";
import { publicLookup } from "../../adapters/gateway/addresses.ts";
import { openNameServers } from "../../adapters/gateway/name-servers.ts";

const [TYPE_A, TYPE_AAAA, HEADER] = [1, 28, 12];
/** Addresses by name and kind of record; of what is not here the server says that it does not exist. */
const KNOWN: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  "both.example": { [TYPE_A]: [192, 0, 2, 1], [TYPE_AAAA]: [0x20, 1, ...Array<number>(13).fill(0), 7] },
  "four.example": { [TYPE_A]: [8, 8, 4, 4] },
  "inside.example": { [TYPE_A]: [10, 0, 0, 1] },
};
const server = createSocket("udp4");
let silent = 0;

/** The name that a question asks for, what kind of record, and where the question ends. */
function questionIn(message: Buffer) {
  const labels: string[] = [];
  let at = HEADER;
  while (message[at] !== 0) {
    const length = message[at] ?? 0;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** An answer as RFC 1035 has it: the question, and one record that points at its name. */
function answerTo(message: Buffer): Buffer | undefined {
  const { name, type, end } = questionIn(message);
  if (name.startsWith("silent")) return undefined;
  const known = KNOWN[name];
  const address = known?.[type];
  const head = Buffer.from(message.subarray(0, end));
  head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(address === undefined ? 0 : 1, 6);
  head.fill(0, 8, HEADER);
  if (address === undefined) return head;
  const record = Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]);
  return Buffer.concat([head, record]);
}

beforeAll(async () => {
  server.on("message", (message, from) => {
    const answer = answerTo(message);
    if (answer === undefined) silent += 1;
    else server.send(answer, from.port, from.address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

function asked(lookup: Lookup, host: string, options: Parameters<Lookup>[1]): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, options, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

const servers = () => openNameServers([`127.0.0.1:${server.address().port}`]);

test("names have the addresses that name servers tell, of the family that is asked for", async () => {
  const [four, six] = [
    { address: "192.0.2.1", family: 4 },
    { address: "2001::7", family: 6 },
  ];
  const lookup = servers();
  expect(await asked(lookup, "both.example", { all: true })).toEqual([four, six]);
  expect(await asked(lookup, "both.example", { all: true, family: 6 })).toEqual([six]);
  expect(await asked(lookup, "both.example", {})).toBe("192.0.2.1");
  expect(await asked(lookup, "four.example", { all: true, family: 0 })).toEqual([{ address: "8.8.4.4", family: 4 }]);
});

test("a name that has none fails, and so does one of another network behind the judge of addresses", async () => {
  const lookup = servers();
  await expect(asked(lookup, "nobody.example", { all: true })).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(asked(lookup, "four.example", { family: 6 })).rejects.toMatchObject({ code: "ENODATA" });
  await expect(asked(publicLookup(lookup), "inside.example", {})).rejects.toThrow("has no address that is asked");
  expect(await asked(publicLookup(lookup), "four.example", {})).toBe("8.8.4.4");
});

test("names that no server answers for hold up nobody else's", async () => {
  const lookup = servers();
  let ended = 0;
  const waiting = Array.from({ length: 64 }, (_, n) =>
    asked(lookup, `silent${n}.example`, { all: true }).catch((error: NodeJS.ErrnoException) => {
      ended += 1;
      return error.code;
    }),
  );
  while (silent < 2 * waiting.length) await once(server, "message");
  // The system's resolver has as many threads as a process has for that, and all are free.
  assert.isString((await systemLookup("localhost")).address);
  expect(await asked(lookup, "four.example", {})).toBe("8.8.4.4");
  expect(ended).toBe(0);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["ETIMEOUT"]));
});
