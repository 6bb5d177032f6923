/**
 * Registry methods: reads, the ladders of what a provider sends, earnings, fee quotes.
 * Source: OFS-1500; protocol 05 §1.7, §1.9, §2.
 */

import type { Candidate, DoorView, Ladder, Rung } from "../doors/door.ts";
import { commonRungs, firstOf, keyRungs, refuseWhen, signatureRung } from "../doors/door.ts";
import type { NetworkProfile } from "../inputs.ts";
import { ok } from "../kernel/result.ts";
import { list, option, struct } from "../kernel/schema-composites.ts";
import { compareStatements } from "../kernel/signed.ts";
import { Text } from "../kernel/values.ts";
import { call, idParams, mutation, noParams, query, signedTypes } from "../method.ts";
import { exchangeRate } from "../oracles/queries.ts";
import { inRegister, registered } from "../statements/table.ts";
import type { Turn } from "../turn.ts";
import {
  challenge,
  EarningsChallenge,
  EarningsParams,
  earnings,
  earningsErrors,
  ProviderEarnings,
} from "./earnings.ts";
import type { MidRate } from "./fees.ts";
import { convertedExactly, FeeQuote, feeQuote } from "./fees.ts";
import { hasServicePlace, isWithinCaps, namesAddresses, REGISTRY_PAYLOAD_BYTES_MAX } from "./limits.ts";
import { flawOf } from "./listing.ts";
import { allServices, isLive, registrationsOf, SERVICES_PER_PROVIDER_MAX, serviceById } from "./queries.ts";
import { HealthUpdate, Registration, ServiceRecord, Withdrawal } from "./schema.ts";
import type { Service } from "./tables.ts";
import { Services, serviceKey } from "./tables.ts";

const registerErrors = [
  "INVALID_REQUEST",
  "INVALID_PARAMETER",
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "RESOURCE_ALREADY_EXISTS",
] as const;
const ownErrors = [
  "RESOURCE_NOT_FOUND",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
  "INVALID_REQUEST",
] as const;

/** Source: protocol 05 §1.7, §14.1-14.4. */
const registerLadder: Ladder = (view, candidate) => {
  const payload = candidate.payload as Registration;
  const strict = !view.configuration.profile.parity;
  const flaw = flawOf(payload);
  const shown = serviceById(view.reader, payload.service_id, view.now);
  const unfit = strict && !(isWithinCaps(payload) && namesAddresses(payload));
  return firstOf(
    () => refuseWhen(flaw === "unpaid", "INVALID_REQUEST"),
    () => refuseWhen(flaw === "branding" || flaw === "endpoint" || unfit, "INVALID_PARAMETER"),
    () => keyRungs(candidate),
    () => refuseWhen(flaw === "anothers", "INVALID_IDENTITY_CLAIM"),
    () => commonRungs(view, candidate),
    () => refuseWhen(strict && !hasPlace(view, payload), "INVALID_PARAMETER"),
    () => refuseWhen(shown !== undefined && shown.provider !== payload.provider, "RESOURCE_ALREADY_EXISTS"),
    () => refuseWhen(strict && isOutdated(view, candidate), "INVALID_REQUEST"),
  );
};

/** Source: protocol 05 §1.7, §14.1. */
const healthLadder: Ladder = (view, candidate) => {
  const payload = candidate.payload as HealthUpdate;
  return firstOf(
    () => ownRungs(view, candidate, payload),
    () => refuseWhen(!view.configuration.profile.parity && isOutdated(view, candidate), "INVALID_REQUEST"),
  );
};

/** As health; an exact repeat of the withdrawal in force succeeds. Source: protocol 05 §1.7, §14.1. */
const withdrawLadder: Ladder = (view, candidate) => {
  const payload = candidate.payload as Withdrawal;
  const strict = !view.configuration.profile.parity;
  const held = inRegister(view.reader, Withdrawal, payload.provider, payload.service_id);
  const repeated = held?.identity === candidate.statement.identity && candidate.verdict.form !== undefined;
  return firstOf(
    () => (strict && repeated && isOut(view, payload) ? "unchanged" : undefined),
    () => ownRungs(view, candidate, payload),
    () => refuseWhen(strict && isOutdated(view, candidate), "INVALID_REQUEST"),
  );
};

/** The rungs of what a provider says about a service that it has. Source: protocol 05 §1.7. */
function ownRungs(view: DoorView, candidate: Candidate, about: Withdrawal): Rung {
  const service = serviceAbout(view, about);
  return firstOf(
    () => refuseWhen(service === undefined, "RESOURCE_NOT_FOUND"),
    () => refuseWhen(service?.provider !== about.provider, "INVALID_IDENTITY_CLAIM"),
    () => signatureRung(candidate.verdict),
    () => commonRungs(view, candidate),
  );
}

/** The service that a statement is about: its signer's own, else the one that the id shows. */
function serviceAbout({ reader, now }: DoorView, about: Withdrawal): Service | undefined {
  const own = reader.get(Services, serviceKey(about.provider, about.service_id));
  if (own !== undefined && own.withdrawn_at === null && isLive(own, now)) return own;
  return serviceById(reader, about.service_id, now);
}

function isOut({ reader }: DoorView, about: Withdrawal): boolean {
  const own = reader.get(Services, serviceKey(about.provider, about.service_id));
  return own !== undefined && own.withdrawn_at !== null;
}

/** Whether its signer has said something that leaves a statement without effect. Source: protocol 05 §14.1. */
function isOutdated({ reader }: DoorView, { statement, payload, type }: Candidate): boolean {
  const { provider, service_id } = payload as Withdrawal;
  const newest = registered(reader, statement);
  if (newest !== undefined && compareStatements(newest, statement) > 0) return true;
  const isRegistration = type.name === Registration.name;
  const other = inRegister(reader, isRegistration ? Withdrawal : Registration, provider, service_id);
  if (other === undefined) return false;
  return isRegistration ? other.timestamp >= statement.timestamp : other.timestamp > statement.timestamp;
}

/** Whether a provider's service would be counted. Source: protocol 05 §14.4. */
function hasPlace({ reader }: DoorView, registration: Registration): boolean {
  const others = registrationsOf(reader, registration.provider).filter(
    (service) => service.service_id !== registration.service_id,
  );
  return others.length < SERVICES_PER_PROVIDER_MAX && hasServicePlace(reader, registration);
}

/** Every mint that has a price: those that trades settle in, and those that are priced only. */
function pricedMints({ mints, pricedOnly }: NetworkProfile): NetworkProfile["mints"] {
  return [...mints, ...(pricedOnly ?? [])];
}

/**
 * The quote; where doubles and exact arithmetic part, the doubles stand and the log says so. Source: protocol 05
 * §14.16.
 */
function quoteFor(turn: Turn, service: Service, settlementMint: string): FeeQuote {
  const at = { now: turn.now, parity: turn.configuration.profile.parity };
  const rateOf = (base: string, quote: string): MidRate => exchangeRate(turn.draft, base, quote, at);
  const quote = feeQuote(
    service.pricing,
    settlementMint,
    { mints: pricedMints(turn.configuration.profile), rateOf },
    turn.now,
  );
  if (quote.status !== "settleable") return quote;
  const { fee, rate, settlementAmount } = quote;
  const exact = convertedExactly(fee, rate, settlementAmount.decimals);
  if (exact !== settlementAmount.base_units) {
    const fields = { quoted: settlementAmount.base_units.toString(), exact: exact.toString() };
    turn.emit({ type: "log", level: "info", event: "fee quote is not what exact arithmetic gives", fields });
  }
  return quote;
}

export const providerMethods = {
  getProvider: query({
    params: idParams,
    result: option(ServiceRecord),
    source: "OFS-1500; protocol 05 §1.9",
    doc: "One service; null when the id is unknown, withdrawn or has lapsed.",
    read: (reader, { id }, turn) => serviceById(reader, id, turn.now) ?? null,
  }),
  getProviders: query({
    params: noParams,
    need: "none",
    result: list(ServiceRecord),
    source: "OFS-1500; protocol 05 §1.9",
    doc: "Every service that is neither withdrawn nor lapsed, in order of id.",
    read: (reader, _, turn) => allServices(reader, turn.now),
  }),
  sendProviderRegister: mutation({
    signed: signedTypes(Registration),
    ladder: registerLadder,
    answers: "id",
    errors: registerErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Registers a service, or replaces its record.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
  sendProviderHealthUpdate: mutation({
    signed: signedTypes(HealthUpdate),
    ladder: healthLadder,
    answers: "null",
    errors: ownErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Says how a service is, and that its provider is there.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
  sendProviderWithdraw: mutation({
    signed: signedTypes(Withdrawal),
    ladder: withdrawLadder,
    answers: "null",
    errors: ownErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Takes a service out of the registry until its provider registers it again.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
  getProviderEarningsChallenge: call({
    kind: "query",
    params: idParams,
    result: EarningsChallenge,
    errors: ["RESOURCE_NOT_FOUND"],
    source: "OFS-1500 §15; protocol 05 §2.3",
    doc: "Issues a single-use challenge for a service's earnings.",
    run: (turn, { id }) => challenge(turn, id),
  }),
  getProviderEarnings: call({
    kind: "query",
    params: EarningsParams,
    result: ProviderEarnings,
    access: "proof",
    errors: earningsErrors,
    source: "OFS-1500 §15; protocol 05 §2.3",
    doc: "What a service has earned, for whoever proves its key.",
    run: (turn, params) => earnings(turn, params),
  }),
  getProviderFeeQuote: call({
    kind: "query",
    params: struct("FeeQuoteParams", { id: Text, settlement_mint: Text }),
    result: option(FeeQuote),
    source: "OFS-4100 §9.5; protocol 05 §2.4",
    doc: "What a service's fee comes to in a token; null when the service is unknown. Only a settleable one has an amount.",
    run(turn, { id, settlement_mint }) {
      const service = serviceById(turn.draft, id, turn.now);
      return ok(service === undefined ? null : quoteFor(turn, service, settlement_mint));
    },
  }),
};
