/**
 * Advertisement methods: public reads, and the validation orders of what merchants send.
 * Source: OFS-2100; protocol 02 B.6, B.8.
 */

import { GOSSIP_ID_BYTES_MAX, ID_BYTES_MAX, isIdWithin } from "../../../engine/admission/ingress.ts";
import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signatureCheck,
} from "../../../engine/admission/validation-order.ts";
import { idParams, mutation, query, signedTypes } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { Page, pageOf, present } from "../../../engine/pages.ts";
import { contenders } from "../../../engine/statements/table.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import type { Infer } from "../../../kernel/schema.ts";
import { list, listOr, option, struct } from "../../../kernel/schema-composites.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { Amount, FiatCurrency, MintAddress, PeerId, Text } from "../../../kernel/values.ts";
import { isUsableBy, PaymentMethodId } from "../../payment-methods/schema.ts";
import { quoterAt } from "./quotes.ts";
import type { Terms } from "./registers.ts";
import { usableTerms } from "./registers.ts";
import type { PricingModel } from "./schema.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatus,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
  AdvertisementView,
  Direction,
  GOSSIP_METHODS_MAX,
  METHODS_MAX,
} from "./schema.ts";
import { Advertisements } from "./tables.ts";
import { allShown, availableUnits, shownById, viewOf } from "./views.ts";

const createErrors = [
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_PARAMETER",
  "DUPLICATE_ADVERTISEMENT",
  "INVALID_ADVERTISEMENT",
] as const;
const editErrors = [
  "ADVERTISEMENT_NOT_FOUND",
  "INVALID_SIGNATURE",
  "INVALID_IDENTITY_CLAIM",
  "INVALID_PARAMETER",
] as const;

/** Source: protocol 02 B.6; O.14 for the decimals of the liquidity. */
const createChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as AdvertisementCreate;
  return firstOf(
    () => keyChecks(candidate),
    () => commonChecks(view, candidate),
    () => methodsCheck(view, payload),
    () => oracleCheck(view, payload),
    () => refuseWhen(contenders(view.reader, "advertisement", payload.id).length > 0, "DUPLICATE_ADVERTISEMENT"),
    () => termsCheck(payload, payload.merchant),
    () =>
      refuseWhen(
        ruleOf(view.configuration, hasForeignLiquidity)(payload),
        "INVALID_ADVERTISEMENT",
        "liquidity-decimals",
      ),
  );
};

type Payable = Pick<AdvertisementTermsUpdate, "payment_methods">;

/**
 * Whether payment methods are as few as any ingress takes, and named as this network names them; free text is.
 * Source: protocol 02 I.1; DESIGN L10.
 */
export function namesMethods({ payment_methods }: Payable): boolean {
  return payment_methods.length <= GOSSIP_METHODS_MAX;
}

/** Whether payment methods are as few as are taken over RPC. Source: DESIGN L10. */
export function hasFewMethods({ payment_methods }: Payable): boolean {
  return payment_methods.length <= METHODS_MAX;
}

function methodsCheck({ configuration }: ValidationView, terms: Payable): CheckResult {
  return refuseWhen(!ruleOf(configuration, hasFewMethods)(terms), "INVALID_PARAMETER", "out-of-bounds");
}

type Priced = Pick<AdvertisementPriceUpdate, "pricing">;

/** Whether the oracle of a floating price is called by a name that any ingress takes. Source: DESIGN L10. */
export function namesOracle({ pricing }: Priced): boolean {
  return isOracleWithin(pricing, GOSSIP_ID_BYTES_MAX);
}

/** The same over RPC, where names are as long as ids. Source: DESIGN L10; protocol 01 §15 W12. */
export function namesOracleShortly({ pricing }: Priced): boolean {
  return isOracleWithin(pricing, ID_BYTES_MAX);
}

function isOracleWithin(pricing: PricingModel, bytesMax: number): boolean {
  return "Fixed" in pricing || isIdWithin(pricing.Floating.oracle_provider, bytesMax);
}

function oracleCheck({ configuration }: ValidationView, payload: Priced): CheckResult {
  return refuseWhen(!ruleOf(configuration, namesOracleShortly)(payload), "INVALID_PARAMETER", "out-of-bounds");
}

/** Whether what is sold is counted otherwise than one trade of it. Source: protocol 02 O.14. */
export function hasForeignLiquidity({ initial_liquidity, min_trade }: AdvertisementCreate): boolean {
  return initial_liquidity.decimals !== min_trade.decimals;
}

/** What an edit that names another merchant answers. Source: protocol 02 B.6. */
export function strangerCheck(_view: ValidationView, _candidate: Candidate, _found: readonly Statement[]): CheckResult {
  return "INVALID_SIGNATURE";
}

/** The checks of every edit, then its own. Source: protocol 02 B.6. */
function editChecks(
  own: (view: Parameters<ValidationOrder>[0], payload: never, row: Target) => ReturnType<ValidationOrder>,
): ValidationOrder {
  return (view, candidate) => {
    const { id, merchant } = candidate.payload as AdvertisementDisable;
    const found = contenders<AdvertisementCreate>(view.reader, "advertisement", id);
    const mine = found.filter((create) => create.signer === merchant);
    const rows = mine.flatMap(({ identity }) => {
      const row = view.reader.get(Advertisements, identity);
      return row === undefined ? [] : [{ identity, row }];
    });
    return firstOf(
      () => refuseWhen(found.length === 0, "ADVERTISEMENT_NOT_FOUND"),
      () => (mine.length === 0 ? ruleOf(view.configuration, strangerCheck)(view, candidate, found) : undefined),
      () => signatureCheck(candidate.verdict),
      () => commonChecks(view, candidate),
      () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
      () =>
        refuseWhen(
          rows.every(({ row }) => row.status === "Deleted"),
          "ADVERTISEMENT_NOT_FOUND",
        ),
      () => rows.map((target) => own(view, candidate.payload as never, target)).find((check) => check !== undefined),
    );
  };
}

type Target = Parameters<typeof availableUnits>[1];

const statusChecks = editChecks((view, payload: AdvertisementStatusSet, target) => {
  const spent = payload.status === "Active" && availableUnits(view.reader, target, view) === 0n;
  return refuseWhen(spent, "INSUFFICIENT_AVAILABLE_LIQUIDITY");
});

/** Either form says Disabled and nothing else. Source: protocol 02 B.5. */
const disableChecks = editChecks((_, payload: AdvertisementDisable | AdvertisementStatusSet) =>
  refuseWhen("status" in payload && payload.status !== "Disabled", "INVALID_PARAMETER", "not-disabled"),
);

const termsChecks = editChecks((view, payload: Terms, target) =>
  firstOf(
    () => methodsCheck(view, payload),
    () => termsCheck(payload, target.row.merchant),
  ),
);

/** Terms that no advertisement may have: its payment methods, else its limits. Source: protocol 02 B.6 rows 5-7. */
function termsCheck(terms: Terms, merchant: string): CheckResult {
  const methods = terms.payment_methods;
  const unpayable = methods.length === 0 || !methods.every((method) => isUsableBy(merchant, method));
  const reason = unpayable ? "payment-methods" : "trade-limits";
  return refuseWhen(!usableTerms(terms, merchant), "INVALID_ADVERTISEMENT", reason);
}

const Filter = struct("AdvertisementFilter", {
  asset_mint: option(MintAddress),
  fiat_currency: option(FiatCurrency),
  direction: option(Direction),
  payment_method: option(PaymentMethodId),
  amount: option(Amount),
  merchant: option(PeerId),
  statuses: option(list(AdvertisementStatus)),
});
const ListParams = struct("AdvertisementListParams", { filter: present(Filter), page: present(Page) });
export type ListParams = { readonly filter: FilterValue | null; readonly page: Page | null };
type FilterValue = ReturnType<(typeof Filter)["read"]>;

const AdvertisementPage = struct("AdvertisementPage", {
  advertisements: list(AdvertisementView),
  next_cursor: option(Text),
});
/** The list when nothing was asked, a page when anything was. Source: protocol 02 B.8, N.3. */
const ListOrPage = listOr(AdvertisementView, AdvertisementPage);
type ListAnswer = Infer<typeof ListOrPage>;

export const advertisementMethods = {
  getAdvertisement: query({
    params: idParams,
    result: option(AdvertisementView),
    source: "OFS-8200 §6; protocol 02 B.8",
    doc: "One advertisement of any status, with today's quote; null when the id is unknown.",
    read(reader, { id }, context) {
      const shown = shownById(reader, id);
      const quoter = quoterAt(reader, context);
      return shown === undefined ? null : viewOf(reader, shown, quoter, context);
    },
  }),
  getAdvertisements: query({
    params: ListParams,
    need: "optional",
    result: ListOrPage,
    source: "OFS-8200 §6; protocol 02 B.8",
    doc: "Every Active advertisement, or with `filter` or `page` one page of matching ones.",
    read: (_, params, context) => listed(context, params as unknown as ListParams),
  }),
  sendAdvertisementCreate: mutation({
    signed: signedTypes(AdvertisementCreate),
    checks: createChecks,
    answers: "id",
    errors: createErrors,
    source: "OFS-2100; protocol 02 B.6",
    doc: "Publishes a merchant's standing offer.",
  }),
  sendAdvertisementPriceUpdate: mutation({
    signed: signedTypes(AdvertisementPriceUpdate),
    checks: editChecks((view, payload: AdvertisementPriceUpdate) => oracleCheck(view, payload)),
    answers: "null",
    errors: editErrors,
    source: "OFS-2100; protocol 02 B.6",
    doc: "Sets the price rule of an advertisement.",
  }),
  sendAdvertisementTermsUpdate: mutation({
    signed: signedTypes(AdvertisementTermsUpdate),
    checks: termsChecks,
    answers: "null",
    errors: [...editErrors, "INVALID_ADVERTISEMENT"],
    source: "OFS-2100; protocol 02 B.6",
    doc: "Sets the limits and payment methods of an advertisement.",
  }),
  sendAdvertisementStatusSet: mutation({
    signed: signedTypes(AdvertisementStatusSet),
    checks: statusChecks,
    answers: "null",
    errors: [...editErrors, "INSUFFICIENT_AVAILABLE_LIQUIDITY"],
    source: "OFS-2100; protocol 02 B.6",
    doc: "Sets the status of an advertisement; Deleted is final.",
  }),
  sendAdvertisementDisable: mutation({
    signed: signedTypes(AdvertisementDisable, AdvertisementStatusSet),
    checks: disableChecks,
    answers: "null",
    errors: editErrors,
    source: "OFS-8200 §6; protocol 02 B.5",
    doc: "Sets the status of an advertisement to Disabled.",
  }),
};

/** Whether the list is answered as a list: nothing else was asked for. Source: protocol 02 B.8, N.3. */
export function isPlainList({ filter, page }: ListParams): boolean {
  return filter === null && page === null;
}

function listed(context: StepContext, params: ListParams): ListAnswer {
  const { filter, page } = params;
  const quoter = quoterAt(context.draft, context);
  const views = allShown(context.draft).map((shown) => viewOf(context.draft, shown, quoter, context));
  if (ruleOf(context.configuration, isPlainList)(params)) return views.filter((view) => view.status === "Active");
  const matching = views.filter((view) => matches(view, filter));
  const { rows, next } = pageOf(matching, ({ id }) => id, page);
  return { advertisements: rows, next_cursor: next };
}

function matches(view: AdvertisementView, filter: FilterValue | null): boolean {
  if (!(filter?.statuses ?? ["Active"]).includes(view.status)) return false;
  if (filter === null) return true;
  const { asset_mint, fiat_currency, direction, payment_method, amount, merchant } = filter;
  if (asset_mint !== null && asset_mint !== view.asset_mint) return false;
  if (fiat_currency !== null && fiat_currency !== view.fiat_currency) return false;
  if (direction !== null && direction !== view.direction) return false;
  if (payment_method !== null && !view.payment_methods.includes(payment_method)) return false;
  if (merchant !== null && merchant !== view.merchant) return false;
  return amount === null || fitsAmount(view, amount);
}

function fitsAmount(view: AdvertisementView, { base_units, decimals }: Amount): boolean {
  if (decimals !== view.min_trade.decimals) return false;
  if (base_units < view.min_trade.base_units || base_units > view.max_trade.base_units) return false;
  return base_units <= view.available_liquidity.base_units;
}
