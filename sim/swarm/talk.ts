/**
 * What people of a drawn world say and ask beside their trades: every signed type that a method takes, every read, and
 * what only a proof opens. Who says it is who it suits, mostly. Source: protocol 01 §11.
 */
import type { Action } from "../action-kinds.ts";
import { upload } from "../actions/content.ts";
import { impersonate } from "../actions/impersonate.ts";
import { publishRate, registerOracle, withdrawOracle } from "../actions/oracle.ts";
import { probePublicReads, readOwn } from "../actions/public-read-probe.ts";
import type { Publication } from "../actions/publish.ts";
import { publications, publish } from "../actions/publish.ts";
import { seconds } from "../scenario.ts";
import type { Dice } from "./dice.ts";
import type { Roster } from "./roster.ts";
import { MERCHANTS, PROVIDERS, STRANGERS, somewhen, TAKERS } from "./roster.ts";

/** When people begin to talk. */
const TALK_FROM = seconds(3);
/** Statements that one of the drawn types is said with, at most. */
const TIMES = 3;
/** Calls of one stranger who asks for everything. */
const PROBE_CALLS = 60;
/** Services that a provider registers before anybody needs one, at most. */
const SERVICES = 6;
/** What a party can say of its trade without changing how the trade ends. */
const ASIDES = ["AttachmentPublish", "ReviewPublish", "TradeChannelKeyGrant", "TradeChannelEntryPost"];
const TRADE_KINDS: readonly unknown[] = ["advertisement", "reservation", "settlement", "dispute"];
const EVERYBODY = [...MERCHANTS, ...TAKERS, ...PROVIDERS, ...STRANGERS];
const PAIRS = [
  { base: "USDC", quote: "EUR" },
  { base: "wSOL", quote: "KES" },
] as const;

/** What is said and asked, beside trades. */
export function talkActions(dice: Dice, roster: Roster): readonly Action[] {
  const asked = dice.between(0, 3);
  return [
    ...(dice.oneIn(2) ? services(dice, roster) : []),
    ...(dice.oneIn(2) ? rates(dice, roster) : []),
    ...(dice.oneIn(3) ? STRANGERS.map((name, n) => upload(name, n, when(dice, roster))) : []),
    ...dice.half(publications()).flatMap((publication) => statementsOf(dice, roster, publication)),
    ...Array.from({ length: asked }, (_, n) =>
      probePublicReads(`spy ${n}`, { ...when(dice, roster), calls: dice.between(1, PROBE_CALLS) }),
    ),
    ...EVERYBODY.flatMap((name) => (dice.oneIn(3) ? [readOwn(name, when(dice, roster))] : [])),
    ...(dice.oneIn(4) ? [impersonate("mallory", when(dice, roster))] : []),
  ];
}

function when(dice: Dice, roster: Roster) {
  return somewhen(dice, roster, TALK_FROM, roster.lasts);
}

/** A provider registers services before anybody needs one, and people subscribe. */
function services(dice: Dice, roster: Roster): readonly Action[] {
  const [registration, subscription] = [publicationOf("Registration"), publicationOf("SubscriptionUpdate")];
  return [
    ...PROVIDERS.flatMap((name) =>
      Array.from({ length: dice.between(1, SERVICES) }, () =>
        publish(name, registration, somewhen(dice, roster, seconds(2), TALK_FROM)),
      ),
    ),
    ...dice.half(TAKERS).map((name) => publish(name, subscription, somewhen(dice, roster, TALK_FROM, seconds(10)))),
  ];
}

/** An oracle of rates, some of which run out, and which may leave. */
function rates(dice: Dice, roster: Roster): readonly Action[] {
  const [provider] = PROVIDERS;
  const published = Array.from({ length: dice.between(1, 4) }, (_, n) => {
    const { at, via } = when(dice, roster);
    const { base, quote } = dice.pick(PAIRS);
    const rate = dice.between(1, 1_000_000) / 100;
    const lifetime = seconds(dice.between(1, 120));
    return publishRate(provider, { base, quote, id: `rate ${n}`, rate, version: BigInt(at), lifetime }, { at, via });
  });
  const leaves = dice.oneIn(4) ? [withdrawOracle(provider, when(dice, roster))] : [];
  return [registerOracle(provider, somewhen(dice, roster, seconds(2), TALK_FROM)), ...published, ...leaves];
}

function statementsOf(dice: Dice, roster: Roster, publication: Publication): readonly Action[] {
  const suited = dice.oneIn(8) ? EVERYBODY : suitedFor(publication);
  const until = publication.type.creates === undefined ? roster.lasts : Math.floor(roster.lasts / 2);
  return Array.from({ length: dice.between(1, TIMES) }, () =>
    publish(dice.pick(suited), publication, somewhen(dice, roster, TALK_FROM, until)),
  );
}

/** Whom a statement suits: services are providers'; what changes a trade is mostly left to strangers. */
function suitedFor({ type }: Publication): readonly string[] {
  const members = Object.keys(type.payload.fields);
  if (members.includes("provider") || members.includes("producer")) return PROVIDERS;
  if (ASIDES.includes(type.name)) return [...MERCHANTS, ...TAKERS, ...STRANGERS];
  const kinds: readonly unknown[] = [type.creates, type.about({} as never)?.kind];
  return kinds.some((kind) => TRADE_KINDS.includes(kind)) ? STRANGERS : EVERYBODY;
}

function publicationOf(name: string): Publication {
  const publication = publications().find(({ type }) => type.name === name);
  if (publication === undefined) throw new Error(`bug: nobody can say ${name}`);
  return publication;
}
