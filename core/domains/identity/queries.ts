/**
 * What others may ask about claims: which of a wallet's are live at an instant, which count, to which key the wallet is
 * written, and which files are avatars. All of it is computed when asked, from the claims themselves.
 * Source: protocol 04 §1.2, §1.11.
 */

import type { Overrides, ReadAt } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { nameOfIdentity } from "../../engine/statements/table.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, Identity, PeerId } from "../../kernel/values.ts";
import type { Claim, ClaimType } from "./schema.ts";
import { Claims, succession } from "./tables.ts";

/** Live claims of a wallet that an ingress lets it have. Source: protocol 04 §1.8. */
export const LIVE_CLAIMS_MAX = 64;
/** Live claims of a wallet that count, the smallest (timestamp, identity) first. Source: protocol 04 §1.11. */
export const COUNTED_CLAIMS_MAX = 256;

/** A claim and the statement that created it. */
export interface HeldClaim {
  readonly identity: Identity;
  readonly claim: Claim;
}

/** Not revoked, not expired, and not superseded. Source: protocol 04 §1.2. */
export function isLive(reader: Reader, held: HeldClaim, { now, rules }: ReadAt): boolean {
  const { revoked, expires_at } = held.claim;
  return !revoked && (expires_at === null || now < expires_at) && !isSuperseded(reader, held, rules);
}

/** Live claims of a wallet that count, in canonical order. */
export function liveClaims(reader: Reader, wallet: PeerId, moment: ReadAt): readonly HeldClaim[] {
  return claimsUnder(reader, "wallet", wallet)
    .filter((held) => isLive(reader, held, moment))
    .slice(0, COUNTED_CLAIMS_MAX);
}

/** A wallet's claims that count, dead ones included, in canonical order. A bound beyond which live ones are inert. */
export function countedClaims(reader: Reader, wallet: PeerId, moment: ReadAt): readonly HeldClaim[] {
  const held = claimsUnder(reader, "wallet", wallet);
  if (held.length <= COUNTED_CLAIMS_MAX) return held;
  let live = 0;
  return held.filter((each) => !isLive(reader, each, moment) || ++live <= COUNTED_CLAIMS_MAX);
}

/** The contender that a bare id shows: the smallest (timestamp, identity). Source: protocol 04 §1.11. */
export function claimById(reader: Reader, id: string, moment: ReadAt): HeldClaim | undefined {
  return claimsUnder(reader, "id", id).find((held) =>
    countedClaims(reader, held.claim.wallet, moment).some((counted) => counted.identity === held.identity),
  );
}

/**
 * The key to which a wallet is written, or nothing: nobody may use the wallet's own key in its place.
 * Source: protocol 04 §1.2.
 */
export function encryptionKeyOf(reader: Reader, wallet: PeerId, moment: ReadAt): string | undefined {
  const keys = liveClaims(reader, wallet, moment).filter(({ claim }) => claim.claim_type === "EncryptionKey");
  return keys.sort((a, b) => compareNewest(a.claim, b.claim))[0]?.claim.value;
}

/** Whether a valid claim of anybody names a file as an avatar: the one that is valid longest tells. */
export function isAvatar(reader: Reader, cid: string, now: EpochMillis): boolean {
  const last = reader.ordered(Claims, "avatar", cid).at(-1);
  const claim = last === undefined ? undefined : reader.get(Claims, last);
  return claim !== undefined && (claim.expires_at === null || now < claim.expires_at);
}

/** The files that a wallet's live claims name as its avatar, by their identifiers. */
export function avatarsOf(reader: Reader, wallet: PeerId, moment: ReadAt): readonly string[] {
  return liveClaims(reader, wallet, moment).flatMap(({ claim }) =>
    claim.claim_type === "Avatar" ? [claim.value] : [],
  );
}

/** Whether a claim may take the place of one by their types, which are one: custom ones by their label. */
export function sameType(a: ClaimType, b: ClaimType): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a.Custom === b.Custom;
}

/** Whether a text names a claim: by its id, or by its creating statement's identity. */
export function isNamed({ claim, identity }: HeldClaim, name: string): boolean {
  return claim.id === name || nameOfIdentity(identity) === name;
}

/**
 * Whether another claim of the same wallet and type names this one; a claim that was superseded stays so, whatever
 * becomes of the other. Source: protocol 04 §1.2, §1.11.
 */
function isSuperseded(reader: Reader, { claim, identity }: HeldClaim, rules: Overrides): boolean {
  const mayReplace = ruleOf({ rules }, sameType);
  return [claim.id, nameOfIdentity(identity)].some((name) =>
    reader.find(Claims, "supersedes", succession(claim.wallet, name)).some((other) => {
      const successor = reader.get(Claims, other);
      if (successor === undefined || other === identity) return false;
      return mayReplace(successor.claim_type, claim.claim_type);
    }),
  );
}

function claimsUnder(reader: Reader, index: "id" | "wallet", value: string): readonly HeldClaim[] {
  const held = reader.find(Claims, index, value).flatMap((identity) => {
    const claim = reader.get(Claims, identity);
    return claim === undefined ? [] : [{ identity: identity as Identity, claim }];
  });
  return held.sort(compareClaims);
}

function compareClaims(a: HeldClaim, b: HeldClaim): number {
  if (a.claim.created_at !== b.claim.created_at) return a.claim.created_at < b.claim.created_at ? -1 : 1;
  return a.identity < b.identity ? -1 : 1;
}

function compareNewest(a: Claim, b: Claim): number {
  if (a.created_at !== b.created_at) return a.created_at > b.created_at ? -1 : 1;
  return compareText(b.id, a.id);
}
