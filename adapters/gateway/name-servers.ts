/**
 * Host names that strangers gave, asked of name servers from here. The system's resolver holds one of the few threads
 * of a process until name servers answer: some names whose servers never do would have all others wait, of peers and of
 * endpoints of the chain. Names that only this machine or its search domains know are not found so.
 * Source: protocol 04 §6.12; DESIGN "Waiting times".
 */
import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { Lookup } from "./addresses.ts";

/** How long a name server may take, in milliseconds, and how often it is asked. Source: DESIGN "Waiting times". */
const ASKED = { timeout: 2_000, tries: 2 } as const;

/** A resolver that asks name servers, those of the system unless said (`address:port`). */
export function openNameServers(servers?: readonly string[]): Lookup {
  const resolver = new Resolver(ASKED);
  if (servers !== undefined) resolver.setServers(servers);
  return (host, { family, all }, done) => {
    const asked = [4, 6].filter((each) => family === undefined || family === 0 || family === each);
    void Promise.allSettled(asked.map((each) => addressesOf(resolver, host, each))).then((answers) => {
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      const [first] = found;
      if (first === undefined) done(answers.map(failureOf).find(Boolean) ?? unknown(host), []);
      else if (all === true) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

async function addressesOf(resolver: Resolver, host: string, family: number): Promise<LookupAddress[]> {
  const addresses = family === 4 ? await resolver.resolve4(host) : await resolver.resolve6(host);
  return addresses.map((address) => ({ address, family }));
}

function failureOf(answer: PromiseSettledResult<unknown>): NodeJS.ErrnoException | undefined {
  return answer.status === "rejected" ? (answer.reason as NodeJS.ErrnoException) : undefined;
}

function unknown(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} is no name that has an address`), { code: "ENOTFOUND" });
}
