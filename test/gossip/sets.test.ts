/**
 * Goal: a comparison asks and answers what is needed and no more: what is equal is silent, what differs is listed or
 * branched, what is missing is fetched once, and an answer that was not asked for leads nowhere.
 * Method: one node, a peer made of frames that answers as it likes.
 * Source: protocol 01 §15 W3; CONVERGENCE "Roots".
 */
import { describe, expect, test } from "vitest";
import { known } from "../../core/kernel/assert.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import { list, struct } from "../../core/kernel/schema-composites.ts";
import { byteArray } from "../../core/kernel/schema-scalars.ts";
import { compareText } from "../../core/kernel/text.ts";
import { FetchRequest, FetchResponse, SetRequest, SetResponse } from "../../core/network/gossip/reconcile.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";
import type { PeerEnd } from "./link.ts";
import { adEvent, adIdentity, peerOf, sentOf } from "./link.ts";

const T = 1_786_000_000_000n;
const ada = person(0x41);
const Have = struct("Have", { identities: list(byteArray(32)) });
const OTHER = new Uint8Array(16).fill(1);
const bytesOf = (identity: string) => known(fromHex(identity), "hexadecimal");
const ids = (many: number) => Array.from({ length: many }, (_, n) => `ad-${n}`);

/** A node that holds some advertisements, and a peer that it compares its set with; what it asked first. */
function comparing(holds: readonly string[]) {
  const node = loneNode(T);
  const peer = peerOf(node, ada);
  for (const id of holds) peerOf(node, person(0x50 + (holds.indexOf(id) % 40))).push(adEvent(ada, id, T));
  peer.connect();
  const first = known(peer.sent("GossipSetRequest")[0], "a comparison");
  const asked = known(decodeCompact(SetRequest, first.payload), "a request");
  return { node, peer, first, profile: asked.profile, ranges: asked.ranges };
}

const sorted = (identities: readonly string[]) => [...identities].sort(compareText);
const digestOf = (identities: readonly string[]) =>
  crypto.sha256(Buffer.concat([Buffer.of(0), ...sorted(identities).map(bytesOf)])).subarray(0, 16);

/** The requests of a type that a node has sent since, decoded. */
function asked<T>(peer: PeerEnd, type: string, schema: Schema<T>): readonly T[] {
  return peer.sent(type).map(({ payload }) => known(decodeCompact(schema, payload), "a request"));
}

describe("asked to compare", () => {
  test("a node begins with the digest of everything, and answers nothing where digests are equal", () => {
    const { peer, profile, ranges } = comparing(ids(3));
    const all = ids(3).map((id) => adIdentity(id, T));
    expect(ranges).toEqual([{ prefix: "", digest: digestOf(all) }]);
    const [one] = sorted(all) as [string];
    const below = all.filter((identity) => identity.startsWith(one.slice(0, 2)));
    const request = { profile, ranges: [...ranges, { prefix: one.slice(0, 2), digest: digestOf(below) }] };
    expect(peer.ask("GossipSetRequest", encodeCompact(SetRequest, request), SetResponse).contents).toEqual([]);
  });

  test("it lists up to sixteen identities, and branches beyond", () => {
    for (const many of [0, 1, 16]) {
      const { peer, profile } = comparing(ids(many));
      const request = encodeCompact(SetRequest, { profile, ranges: [{ prefix: "", digest: OTHER }] });
      const identities = sorted(ids(many).map((id) => adIdentity(id, T))).map(bytesOf);
      expect(peer.ask("GossipSetRequest", request, SetResponse).contents).toEqual([
        { prefix: "", branches: [], identities },
      ]);
    }
    const { peer, profile } = comparing(ids(17));
    const request = encodeCompact(SetRequest, { profile, ranges: [{ prefix: "", digest: OTHER }] });
    const [content] = peer.ask("GossipSetRequest", request, SetResponse).contents;
    const all = ids(17).map((id) => adIdentity(id, T));
    const branches = [..."0123456789abcdef"].map((digit) => {
      const below = all.filter((identity) => identity.startsWith(digit));
      return below.length === 0 ? new Uint8Array(16) : digestOf(below);
    });
    expect(content).toEqual({ prefix: "", branches, identities: [] });
  });

  test("it passes over what is no prefix, and tells nothing to another network or to what does not decode", () => {
    const { node, peer, profile } = comparing(ids(2));
    const ask = (prefixes: readonly string[], of = profile) => {
      const ranges = prefixes.map((prefix) => ({ prefix, digest: OTHER }));
      const request = encodeCompact(SetRequest, { profile: of, ranges });
      return peer.ask("GossipSetRequest", request, SetResponse).contents.map(({ prefix }) => prefix);
    };
    const longest = adIdentity("ad-1", T);
    expect(ask(["g", "A", `${longest}0`, "-", longest, "f"])).toEqual([longest, "f"]);
    expect(ask([""], new Uint8Array(32))).toEqual([]);
    const patience = () => peerOf(node, ada).link()?.patience;
    const before = patience();
    expect(peer.ask("GossipSetRequest", new Uint8Array(3), SetResponse).contents).toEqual([]);
    expect(patience()).toBe((before ?? 0n) - 10_000n);
  });
});

describe("told what differs", () => {
  const listing = (prefix: string, ...identities: readonly string[]) => ({
    prefix,
    branches: [],
    identities: identities.map(bytesOf),
  });
  type Contents = NonNullable<ReturnType<typeof decodeContents>>["contents"];
  const decodeContents = (bytes: Uint8Array) => decodeCompact(SetResponse, bytes);
  /** What the node sends once the peer has answered its first comparison so. */
  function afterwards(holds: readonly string[], contents: Contents) {
    const { node, peer, first } = comparing(holds);
    const before = node.effects.length;
    peer.answer(first.request, "GossipSetResponse", encodeCompact(SetResponse, { contents }));
    const sent = sentOf(node.effects.slice(before)).filter(({ to }) => to === ada.peer);
    const of = <T>(type: string, schema: Schema<T>) =>
      sent.filter((each) => each.type === type).map(({ payload }) => known(decodeCompact(schema, payload), "decodes"));
    return {
      ranges: of("GossipSetRequest", SetRequest).flatMap(({ ranges }) => ranges),
      fetches: of("GossipFetchRequest", FetchRequest),
      named: of("GossipHave", Have).flatMap(({ identities }) => identities.map(toHex)),
    };
  }
  const identity = (id: string) => adIdentity(id, T);

  test("a node fetches what it lacks, once, and names what the other lacks", () => {
    const [both, other] = [identity("ad-1"), identity("ad-9")];
    const { fetches, named, ranges } = afterwards(ids(3), [listing("", both, other), listing("", both, other)]);
    expect(fetches).toEqual([{ identities: [bytesOf(other)], prefixes: [] }]);
    expect(sorted(named)).toEqual(sorted([identity("ad-0"), identity("ad-2")]));
    expect(ranges).toEqual([]);
    expect(afterwards(ids(3), [listing("", ...ids(3).map(identity))])).toEqual({ ranges: [], fetches: [], named: [] });
  });

  test("it asks deeper where both hold something, fetches whole branches it lacks, names whole branches it has", () => {
    const all = ids(30).map(identity);
    const below = (digit: string) => all.filter((each) => each.startsWith(digit));
    const digits = [..."0123456789abcdef"];
    const [empty] = digits.filter((digit) => below(digit).length === 0) as [string];
    const [full, gone] = digits.filter((digit) => below(digit).length > 0) as [string, string];
    const branches = digits.map((digit) => {
      if (digit === empty || digit === full) return OTHER;
      return digit === gone || below(digit).length === 0 ? new Uint8Array(16) : digestOf(below(digit));
    });
    const { ranges, fetches, named } = afterwards(ids(30), [{ prefix: "", branches, identities: [] }]);
    expect(ranges).toEqual([{ prefix: full, digest: digestOf(below(full)) }]);
    expect(fetches).toEqual([{ identities: [], prefixes: [empty] }]);
    expect(sorted(named)).toEqual(sorted(below(gone)));
  });

  test("what it did not ask about leads nowhere: another depth, no prefix, an answer to nothing", () => {
    const other = identity("ad-9");
    for (const prefix of [other.slice(0, 1), "g", other]) {
      expect(afterwards(ids(1), [listing(prefix, other)])).toEqual({ ranges: [], fetches: [], named: [] });
    }
    const { node, peer, first } = comparing(ids(1));
    const contents = [listing("", other)];
    const before = node.effects.length;
    peer.answer(first.request + 1_000, "GossipSetResponse", encodeCompact(SetResponse, { contents }));
    expect(sentOf(node.effects.slice(before))).toEqual([]);
  });

  test("that the peer has something: it is fetched where it is unknown, two fetches at a time", () => {
    const { peer } = comparing(ids(2));
    const tell = (...of: readonly string[]) =>
      peer.tell("GossipHave", encodeCompact(Have, { identities: of.map((id) => bytesOf(identity(id))) }));
    tell("ad-0", "ad-1");
    expect(asked(peer, "GossipFetchRequest", FetchRequest)).toEqual([]);
    tell("ad-0", "ad-7");
    tell("ad-8");
    tell("ad-9");
    const fetched = ["ad-7", "ad-8"].map((id) => ({ identities: [bytesOf(identity(id))], prefixes: [] }));
    expect(asked(peer, "GossipFetchRequest", FetchRequest)).toEqual(fetched);
  });
});

describe("asked to give", () => {
  const give = (peer: PeerEnd, identities: readonly string[], prefixes: readonly string[]) => {
    const request = encodeCompact(FetchRequest, { identities: identities.map(bytesOf), prefixes });
    const { events, more } = peer.ask("GossipFetchRequest", request, FetchResponse);
    return { payloads: sorted(events.map(({ payload }) => toHex(payload))), more };
  };
  const payloads = (...of: readonly string[]) => sorted(of.map((id) => toHex(adEvent(ada, id, T).payload)));

  test("a node gives what is named and what lies below a prefix, each once, and says whether there is more", () => {
    const { peer } = comparing(ids(3));
    const [one, two] = [adIdentity("ad-0", T), adIdentity("ad-1", T)];
    expect(give(peer, [one, one], [])).toEqual({ payloads: payloads("ad-0"), more: false });
    expect(give(peer, [one], [two])).toEqual({ payloads: payloads("ad-0", "ad-1"), more: false });
    expect(give(peer, [], [""])).toEqual({ payloads: payloads("ad-0", "ad-1", "ad-2"), more: false });
    expect(give(peer, [adIdentity("ad-9", T), one], [])).toEqual({ payloads: payloads("ad-0"), more: true });
    expect(give(peer, [], ["g"])).toEqual({ payloads: [], more: false });
  });

  test("it signs an envelope of its own where the held one is too old, and gives nothing that no ingress takes", () => {
    const { node, peer } = comparing(ids(1));
    node.now += 8n * DAY;
    const request = encodeCompact(FetchRequest, { identities: [], prefixes: [""] });
    const [event] = peer.ask("GossipFetchRequest", request, FetchResponse).events;
    expect(event).toMatchObject({ origin: person(9).peer, timestamp: node.now });
    expect(peer.ask("GossipFetchRequest", request, FetchResponse).events).toEqual([event]);
    node.now = T + 14n * DAY;
    expect(peer.ask("GossipFetchRequest", request, FetchResponse).events.length).toBe(1);
    node.now += 1n;
    expect(peer.ask("GossipFetchRequest", request, FetchResponse).events).toEqual([]);
  });
});

const DAY = 86_400_000n;
