/**
 * Registry methods: reads, and the validation orders of what a provider sends.
 * Source: OFS-1500; protocol 05 §1.7, §1.9.
 */

import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signatureCheck,
} from "../../engine/admission/validation-order.ts";
import { idParams, mutation, noParams, query, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { inRegister, registered } from "../../engine/statements/table.ts";
import { list, option } from "../../kernel/schema-composites.ts";
import { compareStatements } from "../../kernel/signed.ts";
import { isWithinCaps, namesAddresses, REGISTRY_PAYLOAD_BYTES_MAX, withinServiceLimits } from "./limits.ts";
import { validationErrorOf } from "./listing.ts";
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
const registerChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as Registration;
  const { configuration } = view;
  const validationError = validationErrorOf(payload);
  const shown = serviceById(view.reader, payload.service_id, view.now);
  const unfit = !(ruleOf(configuration, isWithinCaps)(payload) && ruleOf(configuration, namesAddresses)(payload));
  return firstOf(
    () => refuseWhen(validationError === "unpaid", "INVALID_REQUEST", "price-without-wallet"),
    () => refuseWhen(validationError === "branding", "INVALID_PARAMETER", "branding"),
    () => refuseWhen(validationError === "endpoint", "INVALID_PARAMETER", "endpoint"),
    () => refuseWhen(unfit, "INVALID_PARAMETER", "out-of-bounds"),
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => refuseWhen(validationError === "anothers", "INVALID_IDENTITY_CLAIM", "id-of-another"),
    () => refuseWhen(!ruleOf(configuration, withinRegistryLimits)(view, payload), "INVALID_PARAMETER", "too-many"),
    () => refuseWhen(shown !== undefined && shown.provider !== payload.provider, "RESOURCE_ALREADY_EXISTS"),
    () => refuseWhen(ruleOf(configuration, isOutdated)(view, candidate), "INVALID_REQUEST", "outdated"),
  );
};

/** Source: protocol 05 §1.7, §14.1. */
const healthChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as HealthUpdate;
  return firstOf(
    () => ownChecks(view, candidate, payload),
    () => refuseWhen(ruleOf(view.configuration, isOutdated)(view, candidate), "INVALID_REQUEST", "outdated"),
  );
};

/** As health; an exact repeat of the withdrawal in force succeeds. Source: protocol 05 §1.7, §14.1. */
const withdrawChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as Withdrawal;
  const { configuration } = view;
  const held = inRegister(view.reader, Withdrawal, payload.provider, payload.service_id);
  const repeated = held?.identity === candidate.statement.identity && candidate.verdict.form !== undefined;
  return firstOf(
    () => (repeated && ruleOf(configuration, isOut)(view, payload) ? "unchanged" : undefined),
    () => ownChecks(view, candidate, payload),
    () => refuseWhen(ruleOf(configuration, isOutdated)(view, candidate), "INVALID_REQUEST", "outdated"),
  );
};

/** The checks of what a provider says about a service that it has. Source: protocol 05 §1.7. */
function ownChecks(view: ValidationView, candidate: Candidate, about: Withdrawal): CheckResult {
  const service = serviceAbout(view, about);
  return firstOf(
    () => refuseWhen(service === undefined, "RESOURCE_NOT_FOUND"),
    () => refuseWhen(service?.provider !== about.provider, "INVALID_IDENTITY_CLAIM", "not-a-party"),
    () => signatureCheck(candidate.verdict),
    () => commonChecks(view, candidate),
  );
}

/** The service that a statement is about: its signer's own, else the one that the id shows. */
function serviceAbout({ reader, now }: ValidationView, about: Withdrawal): Service | undefined {
  const own = reader.get(Services, serviceKey(about.provider, about.service_id));
  if (own !== undefined && own.withdrawn_at === null && isLive(own, now)) return own;
  return serviceById(reader, about.service_id, now);
}

/** Whether a service is withdrawn already. */
export function isOut({ reader }: ValidationView, about: Withdrawal): boolean {
  const own = reader.get(Services, serviceKey(about.provider, about.service_id));
  return own !== undefined && own.withdrawn_at !== null;
}

/** Whether its signer has said something that leaves a statement without effect. Source: protocol 05 §14.1. */
export function isOutdated({ reader }: ValidationView, { statement, payload, type }: Candidate): boolean {
  const { provider, service_id } = payload as Withdrawal;
  const newest = registered(reader, statement);
  if (newest !== undefined && compareStatements(newest, statement) > 0) return true;
  const isRegistration = type.name === Registration.name;
  const other = inRegister(reader, isRegistration ? Withdrawal : Registration, provider, service_id);
  if (other === undefined) return false;
  return isRegistration ? other.timestamp >= statement.timestamp : other.timestamp > statement.timestamp;
}

/** Whether a provider's service would be counted. Source: protocol 05 §14.4. */
export function withinRegistryLimits({ reader }: ValidationView, registration: Registration): boolean {
  const others = registrationsOf(reader, registration.provider).filter(
    (service) => service.service_id !== registration.service_id,
  );
  return others.length < SERVICES_PER_PROVIDER_MAX && withinServiceLimits(reader, registration);
}

export const providerMethods = {
  getProvider: query({
    params: idParams,
    result: option(ServiceRecord),
    source: "OFS-1500; protocol 05 §1.9",
    doc: "One service; null when the id is unknown, withdrawn or has lapsed.",
    read: (reader, { id }, context) => serviceById(reader, id, context.now) ?? null,
  }),
  getProviders: query({
    params: noParams,
    need: "none",
    result: list(ServiceRecord),
    source: "OFS-1500; protocol 05 §1.9",
    doc: "Every service that is neither withdrawn nor lapsed, in order of id.",
    read: (reader, _, context) => allServices(reader, context.now),
  }),
  sendProviderRegister: mutation({
    signed: signedTypes(Registration),
    checks: registerChecks,
    answers: "id",
    errors: registerErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Registers a service, or replaces its record.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
  sendProviderHealthUpdate: mutation({
    signed: signedTypes(HealthUpdate),
    checks: healthChecks,
    answers: "null",
    errors: ownErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Says how a service is, and that its provider is there.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
  sendProviderWithdraw: mutation({
    signed: signedTypes(Withdrawal),
    checks: withdrawChecks,
    answers: "null",
    errors: ownErrors,
    source: "OFS-1500; protocol 05 §1.6, §1.7",
    doc: "Takes a service out of the registry until its provider registers it again.",
    bytesMax: REGISTRY_PAYLOAD_BYTES_MAX,
  }),
};
