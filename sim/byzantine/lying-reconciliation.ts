/**
 * Lying answers to comparisons of sets: digests that always differ, identities that nobody has, prefixes that were not
 * asked, and ever `more` of nothing. They would keep a node comparing with the liar for ever.
 * Source: protocol 01 §15 W3; DESIGN L10.
 */
import { FetchResponse, SetResponse } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";

const BRANCHES = 16;

/** Answers every comparison with differences that are none. */
export function lieAboutSets(attacker: Attacker): void {
  const { world, made } = attacker;
  const bytes = (length: number) =>
    world.crypto.sha256(Uint8Array.of(++made.identities & 255, (made.identities >> 8) & 255)).subarray(0, length);
  attacker.answer("GossipSetRequest", () => {
    const branches = () => Array.from({ length: BRANCHES }, () => bytes(16));
    // The prefix that began it, and every next digit: whoever believes them begins again.
    const prefixes = ["", ..."0123456789abcdef"];
    const branched = prefixes.map((prefix) => ({ prefix, branches: branches(), identities: [] }));
    const listed = { prefix: "f".repeat(64), branches: [], identities: Array.from({ length: 64 }, () => bytes(32)) };
    return answerWith("GossipSetResponse", SetResponse, { contents: [...branched, listed] });
  });
  attacker.answer("GossipFetchRequest", () =>
    answerWith("GossipFetchResponse", FetchResponse, { events: [], more: true }),
  );
}
