/**
 * Ever more: a peer that claims to hold a heap of statements, brings one new one in each answer, and always says that
 * there is more. Whoever takes its word compares with it for ever, as fast as the link allows.
 * Source: protocol 01 §15 W3; DESIGN L10.
 */
import type { GossipEvent } from "../../core/testing.ts";
import { FetchResponse, SetResponse } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";
import { answerWith } from "./attacker.ts";

const NAMED = 64;

/** Answers each comparison with identities that nobody has, and each fetch with one statement of so many. */
export function alwaysHaveMore(attacker: Attacker, next: () => GossipEvent): void {
  const { world, made } = attacker;
  const identity = () => world.crypto.sha256(Uint8Array.of(++made.identities & 255, (made.identities >> 8) & 255));
  attacker.answer("GossipSetRequest", () => {
    const listed = { prefix: "", branches: [], identities: Array.from({ length: NAMED }, identity) };
    return answerWith("GossipSetResponse", SetResponse, { contents: [listed] });
  });
  attacker.answer("GossipFetchRequest", () =>
    answerWith("GossipFetchResponse", FetchResponse, { events: [next()], more: true }),
  );
}
