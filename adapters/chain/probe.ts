/**
 * Whether URLs can be those of endpoints. Whether anybody answers there is no question for a start: an endpoint that is
 * down may come back, and its state is told while the node runs (endpoint.ts). Source: protocol 03 C.2.
 */
import { ENDPOINTS_MAX } from "./endpoint.ts";

/** Why a node cannot start with these URLs; undefined when it can. */
export function endpointError(urls: readonly string[]): string | undefined {
  if (urls.length > ENDPOINTS_MAX) return `at most ${ENDPOINTS_MAX} endpoints`;
  const odd = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (odd !== undefined) return `takes an http or https URL, not "${odd}"`;
  if (new Set(urls.map((url) => new URL(url).href)).size < urls.length) return "one endpoint is named twice";
  return undefined;
}
