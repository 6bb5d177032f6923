/**
 * Where a server listens. Fastify opens a second server for the other family of "localhost", where the bounds of the
 * first do not hold: it is given an address instead. Source: DESIGN L10.
 */
import { lookup } from "node:dns/promises";

/** The address to listen at: of "localhost" the one that this machine names first. Fails as a look at names does. */
export async function oneAddress(host: string): Promise<string> {
  return host === "localhost" ? (await lookup(host)).address : host;
}
