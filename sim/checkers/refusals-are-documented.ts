/**
 * A call that is refused is told why in words that clients can look up: with a code that the document has for its
 * method or for every method, and with no reason but one that stands there beside the code; a code that means several
 * things to every method comes with a reason.
 * Source: protocol 01 §6.1, §11; DESIGN §7 #23.
 */
import { methods, openRpcDocument } from "../../core/index.ts";
import type { CheckContext, Checker } from "../checker.ts";
import type { Exchange } from "./exchanges.ts";
import { exchangesOf } from "./exchanges.ts";

/** What the document says of one error. */
interface Documented {
  readonly name: string;
  readonly ofsErrorCode: number;
  readonly reasons: readonly { readonly reason: string }[];
}

interface Document {
  readonly methods: readonly { readonly name: string; readonly "x-errors": readonly Documented[] }[];
  readonly "x-errors": readonly Partial<Documented>[];
}

/** Codes that never come alone. Source: DESIGN §7 #23. */
const SEVERAL_CAUSES: readonly string[] = ["INVALID_REQUEST", "INVALID_PARAMETER"];
const REFUSED = "ofsErrorCode";

/** Nobody is refused for what no document knows. */
export function refusalsAreDocumented({ violate, profile, tables }: CheckContext): Checker {
  // The reference gives no reasons, and a network of other domains has methods of its own.
  if (profile.parity || tables !== undefined) return { name: "refusals-are-documented" };
  return {
    name: "refusals-are-documented",
    onAnswer({ node, request, answer }) {
      if (!answer.includes(REFUSED)) return;
      for (const exchange of exchangesOf(request, answer)) {
        const wrong = wrongIn(exchange);
        if (wrong !== undefined) violate(`node ${node} refuses ${exchange.method} ${wrong}`);
      }
    },
  };
}

function wrongIn({ method, refusal, reason }: Exchange): string | undefined {
  if (refusal === undefined) return undefined;
  const [own, common] = [errorsOf().get(method), errorsOf().get(EVERY)];
  const error = own?.get(refusal) ?? common?.get(refusal);
  if (error === undefined) return `with ${refusal}, which it never answers`;
  if (reason === undefined)
    return SEVERAL_CAUSES.includes(error.name) ? `with ${error.name} and does not say why` : undefined;
  const isKnown = error.reasons.some((each) => each.reason === reason);
  return isKnown ? undefined : `with ${error.name} for a reason "${reason}" that it never has`;
}

/** In the place of a method: what every call may be answered. */
const EVERY = "";
let read: ReadonlyMap<string, ReadonlyMap<number, Documented>> | undefined;

/** Errors by method and number, as the document has them, which is read once. */
function errorsOf(): NonNullable<typeof read> {
  if (read !== undefined) return read;
  const server = { name: "any", url: "/rpc" };
  const document = JSON.parse(openRpcDocument(methods, "", server, { keys: [], calls: [] })) as Document;
  const byNumber = (errors: readonly Partial<Documented>[]) =>
    new Map((errors as readonly Documented[]).map((error) => [error.ofsErrorCode, error]));
  read = new Map([
    [EVERY, byNumber(document["x-errors"])],
    ...document.methods.map((method) => [method.name, byNumber(method["x-errors"])] as const),
  ]);
  return read;
}
