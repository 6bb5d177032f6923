/**
 * What an operator says of a node for the registry, checked before anything is opened. Source: protocol 05 §1.10.
 */
import bs58 from "bs58";
import type { NodeListing } from "../../core/index.ts";
import { isReservedEndpoint, isShowable } from "../../core/index.ts";
import { Refusal } from "./usage.ts";

export interface ListingChoices {
  readonly publicRpcUrl?: string;
  readonly payoutWallet?: string;
  readonly providerName?: string;
  readonly providerDescription?: string;
  readonly providerLogo?: string;
  readonly providerWebsite?: string;
}

/** The node's listing. Fails with one line for what others would not list. */
export function listingOf(choices: ListingChoices): NodeListing {
  const { publicRpcUrl, payoutWallet } = choices;
  if (publicRpcUrl !== undefined && !isReachable(publicRpcUrl))
    throw new Refusal(`--public-rpc-url takes an http or https URL that others can resolve, not "${publicRpcUrl}".`);
  if (payoutWallet !== undefined && !isWallet(payoutWallet))
    throw new Refusal(`--payout-wallet takes a Solana address in base58, not "${payoutWallet}".`);
  const branding = {
    name: choices.providerName ?? null,
    description: choices.providerDescription ?? null,
    logo: choices.providerLogo ?? null,
    website: choices.providerWebsite ?? null,
  };
  if (!isShowable(branding)) {
    throw new Refusal(
      "--provider-name (64 characters), -description (280), -website (a URL of 256) and -logo (a CIDv1) hold no control characters.",
    );
  }
  return {
    ...(publicRpcUrl !== undefined && { publicRpcUrl }),
    ...(payoutWallet !== undefined && { payoutWallet }),
    branding,
  };
}

/** Whether a URL is one that others could resolve. */
export function isReachable(url: string): boolean {
  return URL.canParse(url) && /^https?:\/\//.test(url) && !isReservedEndpoint(url);
}

function isWallet(text: string): boolean {
  return text.length <= 44 && bs58.decodeUnsafe(text)?.length === 32;
}
