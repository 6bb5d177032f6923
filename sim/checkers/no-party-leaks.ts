/**
 * Law L4: no public read ties a party to a trade. Every public answer, stream message and log line is searched for
 * the keys of everyone who is party of a trade, in every spelling. Allowed is what someone published about
 * themselves, member by member, and what the caller said first. Source: DESIGN L4; protocol 02 K, 03 A.2.2.
 */
import type { CheckContext, Checker } from "../checker.ts";
import type { Spotter } from "../spellings.ts";
import { createSpotter } from "../spellings.ts";
import type { Wallet } from "../wallet.ts";

/** Statements that make those they name parties of a trade. Source: protocol 01 §4.3. */
const TRADE_SENDS =
  /^send(Reservation|Settlement|Payment(Submitted|Reversed)|Dispute|Arbitrator|VoteCommit|VoteReveal|MutualSettlement|TradeChannel|Attachment|Review)/;
/** Reads that answer only to a proof of the wallet they speak of. Source: protocol 01 §11. */
const PRIVATE = /^get(My[A-Z]|Counterparties$)/;

/** What people publish about themselves: the reads that show it, and under which members; `all` is the whole record. */
const PUBLISHED: readonly { readonly method: RegExp; readonly members: readonly string[] | "all" }[] = [
  { method: /^getAdvertisements?$/, members: ["merchant", "merchant_public_key"] },
  { method: /^getPaymentMethods?$/, members: ["merchant", "merchant_public_key"] },
  { method: /^(getProviders?|getProviderEarnings(Challenge)?|getProviderFeeQuote|sendProvider.*)$/, members: "all" },
  { method: /^getProposals?$/, members: "all" },
  { method: /^getIdentityClaim(sByWallet)?$/, members: "all" },
  { method: /^getSession(sByWallet)?$/, members: "all" },
  { method: /^getOracleRecords?$/, members: "all" },
  { method: /^(getRiskRecordsByWallet|getWalletScreening)$/, members: "all" },
  { method: /^(getSnapshots?|getLatestSnapshot)$/, members: "all" },
  { method: /^getSubscription$/, members: "all" },
  { method: /^(getPeers|getRewardObservations)$/, members: "all" },
];

interface Called {
  readonly method: string;
  readonly signed: boolean;
}

export function noPartyLeaks({ violate, people }: CheckContext): Checker {
  const parties = createSpotter();

  function search(node: number, where: string, method: string, said: string, value: unknown): void {
    const allowed = PUBLISHED.find((row) => row.method.test(method))?.members ?? [];
    if (allowed === "all") return;
    for (const { wallet, path } of namesIn(parties, value, [])) {
      if (allowed.includes(path.at(-1) ?? "") || spelledBy(said, wallet)) continue;
      violate(`node ${node}: ${where} names ${wallet.name}, a party of a trade, at ${path.join(".") || "its top"}`);
    }
  }

  return {
    name: "no-party-leaks",
    onCall({ by, request }) {
      for (const { method, data } of sendsIn(request)) {
        if (!TRADE_SENDS.test(method)) continue;
        if (by !== undefined) parties.add(by);
        for (const wallet of people()) if (data.includes(wallet.peer)) parties.add(wallet);
      }
    },
    onAnswer({ node, request, answer }) {
      const calls = callsIn(request);
      listed(parsed(answer)).forEach((one, place) => {
        const { method, signed } = calls[place] ?? { method: "", signed: false };
        if (signed && PRIVATE.test(method)) return;
        search(node, `the answer to ${method}`, method, request, one);
      });
    },
    onPublished({ node, message }) {
      const { method } = (parsed(message) ?? {}) as { readonly method?: string };
      search(node, `a message of /ws about ${method}`, method ?? "", "", parsed(message));
    },
    onLog({ node, level, event, fields }) {
      if (level !== "debug") search(node, `the log line ${event}`, "", "", { event, fields });
    },
  };
}

/** Everyone whom a value names, and where; names of members are searched as well. */
function* namesIn(
  spotter: Spotter,
  value: unknown,
  path: readonly string[],
): Generator<{ readonly wallet: Wallet; readonly path: readonly string[] }> {
  if (typeof value === "string") {
    for (const wallet of spotter.inText(value)) yield { wallet, path };
  } else if (Array.isArray(value)) {
    for (const wallet of spotter.inBytes(value)) yield { wallet, path };
    for (const item of value) if (typeof item !== "number") yield* namesIn(spotter, item, path);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const wallet of spotter.inText(name)) yield { wallet, path: [...path, "(name)"] };
      yield* namesIn(spotter, member, [...path, name]);
    }
  }
}

/** Whether the caller named the wallet first: an echo tells nobody anything. */
function spelledBy(request: string, wallet: Wallet): boolean {
  const spellings = [wallet.peer, wallet.publicKey, wallet.parameter("base64")];
  return spellings.some((spelling) => request.includes(spelling));
}

function callsIn(request: string): readonly Called[] {
  return listed(parsed(request)).map((call) => {
    const { method, params } = (call ?? {}) as { readonly method?: unknown; readonly params?: unknown };
    const signed = typeof params === "object" && params !== null && "signature" in params;
    return { method: typeof method === "string" ? method : "", signed };
  });
}

function sendsIn(request: string): readonly { readonly method: string; readonly data: string }[] {
  return listed(parsed(request)).flatMap((call) => {
    const { method, params } = (call ?? {}) as {
      readonly method?: unknown;
      readonly params?: { readonly data?: unknown };
    };
    const data = params?.data;
    if (typeof method !== "string" || typeof data !== "string") return [];
    return [{ method, data: Buffer.from(data, "base64").toString("utf8") }];
  });
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
