/**
 * Whether endpoints can be used, asked before a node starts: each must be an http URL at which somebody speaks
 * Solana's JSON-RPC. Source: protocol 03 C.2.
 */
import type { EndpointOptions } from "./endpoint.ts";
import { ENDPOINTS_MAX, namesOf, openEndpoint } from "./endpoint.ts";
import { failureText } from "./failures.ts";

/** Why a node cannot start with these URLs; undefined when it can. */
export async function endpointError(
  urls: readonly string[],
  options: EndpointOptions = {},
): Promise<string | undefined> {
  if (urls.length > ENDPOINTS_MAX) return `at most ${ENDPOINTS_MAX} endpoints`;
  const odd = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (odd !== undefined) return `takes an http or https URL, not "${odd}"`;
  if (new Set(urls.map((url) => new URL(url).href)).size < urls.length) return "one endpoint is named twice";
  const names = namesOf(urls);
  const endpointProblems = await Promise.all(urls.map((url, place) => probe(url, names[place] ?? "", options)));
  return endpointProblems.find((endpointProblem) => endpointProblem !== undefined);
}

/** Asks for the version; an error is an answer too. */
async function probe(url: string, name: string, options: EndpointOptions): Promise<string | undefined> {
  const endpoint = openEndpoint(url, name, options);
  const answered = await endpoint.ask((connection) => connection.getVersion());
  endpoint.close();
  if (answered.ok || answered.error.type === "refused") return undefined;
  return `${name}: ${failureText(answered.error)}`;
}
