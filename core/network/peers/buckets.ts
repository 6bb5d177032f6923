/**
 * Where in a bounded table an address has its place: in one of a few buckets that its network, and that of whoever told
 * it, lead to. So whoever has few networks fills a few buckets and no more, and which ones nobody outside can know:
 * they follow from this node's own key, and are the same after a restart.
 * Source: DESIGN section 7 #28; that tables of peers are made so is known of Bitcoin Core.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { bigEndian, concat, u32be } from "../../kernel/bytes.ts";
import { networksOfMultiaddr } from "../../kernel/ip-address.ts";
import { utf8 } from "../../kernel/text.ts";

/** Buckets of one table, places in each, and buckets that one network leads to. Source: DESIGN section 7 #28. */
export const BUCKETS = 32;
export const BUCKET_PLACES = 8;
export const BUCKETS_PER_NETWORK = 4;

/** Where an address lies: the /16 or /32 of a public one, else its whole host. Source: DESIGN section 7 #28. */
export function networkOf(address: string): string {
  return networksOfMultiaddr(address)?.network ?? address.split("/")[2] ?? "";
}

/**
 * The buckets of claimed addresses that were told in one network: it says which few, the network of each address which
 * of them.
 */
export function claimBuckets(context: StepContext, teller: string): (address: string) => string {
  const draw = drawing(context);
  const drawn = draw("teller", teller);
  return (address) => {
    const part = draw("claimed", `${teller} ${networkOf(address)}`) % BigInt(BUCKETS_PER_NETWORK);
    return bucketAt(drawn, part);
  };
}

/** The bucket of an address that was reached: its network says which few, the address itself which of them. */
export function triedBucket(context: StepContext, address: string): string {
  const draw = drawing(context);
  const part = draw("tried", address) % BigInt(BUCKETS_PER_NETWORK);
  return bucketAt(draw("network", networkOf(address)), part);
}

/**
 * The buckets of one network stand an odd step apart, so that there are always as many; which step is drawn as well, so
 * that networks that share one bucket hardly share all.
 */
function bucketAt(drawn: bigint, part: bigint): string {
  const step = 2n * (drawn / BigInt(BUCKETS)) + 1n;
  return String((drawn + part * step) % BigInt(BUCKETS));
}

/** What this node alone draws for a text. */
function drawing({ configuration, crypto }: StepContext): (what: string, text: string) => bigint {
  const secret = crypto.sha256(concat(utf8("ofs address table"), configuration.secretKey));
  return (what, text) => {
    const [name, value] = [utf8(what), utf8(text)];
    const drawn = crypto.sha256(concat(secret, u32be(name.length), name, value));
    return bigEndian(drawn.subarray(0, 4));
  };
}
