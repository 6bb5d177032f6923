/**
 * Limits of the texts in base58 that chain endpoints answer, tried with answers that have nothing else, and of what one
 * has not answered.
 */
import { hasReadableTexts } from "../../../adapters/chain/answer-texts.ts";
import { paced } from "../../../adapters/chain/pace.ts";
import { scriptedEndpoint, settled } from "../../ports/scripted-endpoint.ts";
import type { Limit } from "../limit.ts";
import { cutAt, most } from "../limit.ts";

/** What becomes of an answer with a text of so many characters at that member. */
const textAt = (member: string) => (n: number) =>
  hasReadableTexts(JSON.stringify({ result: { [member]: ["z".repeat(n)] } })) ? "read" : "nonsense";

const READ_OR_NONSENSE = { within: "read", beyond: "nonsense" } as const;

/** What becomes of a transaction whose texts have so many characters together. */
const signedTexts = (n: number) => {
  const instructions = Array.from({ length: 4 }, (_, at) => ({ data: "z".repeat(at < 3 ? 600 : n - 1_800) }));
  return hasReadableTexts(JSON.stringify({ result: { transaction: { message: { instructions } } } }))
    ? "read"
    : "nonsense";
};

const invokedData = (n: number) =>
  hasReadableTexts(JSON.stringify({ result: { data: "z".repeat(n) } })) ? "read" : "nonsense";

/** Requests of one purpose that an endpoint has at once. */
async function unansweredOf(n: number): Promise<number> {
  const endpoint = scriptedEndpoint("slow", { getVersion: () => new Promise(() => undefined) });
  const slow = paced(endpoint);
  for (let call = 0; call < n; call += 1) void slow.ask((connection) => connection.getVersion());
  await settled();
  return endpoint.asked.length;
}

export const limits: readonly Limit[] = [
  most("adapters/chain/answer-texts.ts KEY_CHARACTERS_MAX", 44, textAt("owner"), READ_OR_NONSENSE),
  most("adapters/chain/answer-texts.ts SIGNATURE_CHARACTERS_MAX", 88, textAt("signatures"), READ_OR_NONSENSE),
  most("adapters/chain/answer-texts.ts TRANSACTION_CHARACTERS_MAX", 2_464, signedTexts, READ_OR_NONSENSE),
  most("adapters/chain/answer-texts.ts INVOKED_DATA_CHARACTERS_MAX", 13_985, invokedData, READ_OR_NONSENSE),
  cutAt("adapters/chain/pace.ts UNANSWERED_MAX", 4, unansweredOf),
];
