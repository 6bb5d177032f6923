/**
 * What a set of statements is an example of: types, contested ids, dates and versions that collide, names that reach
 * one statement by its content. Labels for the properties of any domain. Source: DESIGN L2.
 */
import type { Statement } from "../../core/kernel/signed.ts";
import { nameOf } from "./actors.ts";

/** As many as fast-check makes unless told otherwise. */
const FEW = 10;

export function statementLabels(statements: readonly Statement[]): readonly string[] {
  const distinct = [...new Map(statements.map((each) => [each.identity, each])).values()];
  const ids = distinct.map((each) => `${each.type.name} ${idOf(each)}`);
  const whose = distinct.map(({ signer }, n) => `${ids[n]} ${signer}`);
  const dated = distinct.map(({ timestamp }, n) => `${whose[n]} ${timestamp}`);
  const texts = distinct.map(({ payload }) => Object.values(payload as object));
  return [
    ...new Set(distinct.map(({ type }) => type.name)),
    ...(statements.length > FEW ? ["more than ten"] : []),
    ...(distinct.length < statements.length ? ["repeated"] : []),
    ...(count(whose) < distinct.length ? ["one id twice by one signer"] : []),
    ...(count(ids) < count(whose) ? ["one id by two signers"] : []),
    ...(count(dated) < distinct.length ? ["equal dates"] : []),
    ...(distinct.some((each) => texts.some((values) => values.includes(nameOf(each)))) ? ["named by content"] : []),
  ];
}

function idOf({ payload }: Statement): string {
  const { id, service_id, advertisement_id } = payload as Readonly<Record<string, unknown>>;
  return String(id ?? service_id ?? advertisement_id);
}

const count = (texts: readonly string[]): number => new Set(texts).size;
