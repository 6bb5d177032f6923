/**
 * Control of what goes wrong between clients and nodes: of the next requests that match, so many are late, lost, or
 * answered with an error.
 */
import type { ErrorCode } from "../../../core/index.ts";
import { enumeration, errorCodes, list, ok, option, struct, u64 } from "../../../core/index.ts";
import { kinds, plainText, small, text } from "../../../core/testing.ts";
import { may, plain } from "../../data/optional.ts";
import { Name, NodeIndex } from "../../data/values.ts";
import type { ClientFault, Rule } from "../client-faults.ts";
import { CLIENT_FAULTS_MAX, DELAY_MS_MAX, faultLine, REQUESTS_MAX } from "../client-faults.ts";
import { lacksNode, method, refuse } from "./method.ts";

const Registered = text<ErrorCode>("plain", "the name of a registered error", (given) =>
  Object.hasOwn(errorCodes, given) ? (given as ErrorCode) : undefined,
);
const Fault = kinds<ClientFault>({
  delay: plain("delay", { kind: enumeration("delay"), ms: small(32, { least: 0, most: DELAY_MS_MAX }) }),
  drop: plain("drop", {
    ...{
      kind: enumeration("drop"),
      lost: may(enumeration("request", "answer")),
      line: may(enumeration("cut", "open")),
    },
  }),
  error: plain("error", { kind: enumeration("error"), name: Registered }),
  status: plain("status", { kind: enumeration("status"), status: small(32, { least: 400, most: 599 }) }),
});
const Member = struct("Member", { member: Name, equals: plainText });
const FaultData = struct("Fault", {
  id: plainText,
  fault: plainText,
  node: option(NodeIndex),
  method: option(plainText),
  where: option(Member),
  left: u64,
  met: u64,
});
const group = "Nodes and links";

function faultData({ id, fault, node, method: named, where, left, met }: Rule) {
  const matching = { node: node ?? null, method: named ?? null, where: where ?? null };
  return { id, fault: faultLine(fault), ...matching, left: BigInt(left), met: BigInt(met) };
}

export const faultMethods = {
  sim_faultOn: method({
    group,
    params: {
      ...{ fault: Fault, node: may(NodeIndex), method: may(Name), where: may(Member) },
      times: may(small(32, { least: 1, most: REQUESTS_MAX })),
    },
    result: FaultData,
    errors: ["UNKNOWN_NODE", "TOO_MANY"],
    doc:
      "Something goes wrong with the next requests to a node, or to any, that match: one, unless said how many. They " +
      "match by the name of their method, or its beginning and *, and by a member of their parameters, named with dots " +
      "between, that is a text. A delay counts in the network's time. Of what is dropped, the request is lost, or with " +
      "lost: answer what the node answered to what it did; the line is cut, or with line: open nothing ever comes. An " +
      "error is a registered one by name; a status of HTTP, such as 429 or 503, comes with no node's answer. What " +
      "control does itself never fails so.",
    run(network, { fault, times = 1, ...matching }) {
      const lacks = matching.node === undefined ? undefined : lacksNode(network, matching.node);
      if (lacks !== undefined) return lacks;
      const rule = network.host.live().clientFaults.add(matching, fault, times);
      return rule === undefined ? refuse("TOO_MANY", `${CLIENT_FAULTS_MAX} faults at once`) : ok(faultData(rule));
    },
  }),
  sim_getFaults: method({
    ...{ group, params: {}, result: list(FaultData) },
    doc: "What goes wrong with requests: each fault, how many requests it is still for, and how many it has met.",
    run: ({ host }) => ok(host.live().clientFaults.list().map(faultData)),
  }),
  sim_clearFaults: method({
    ...{ group, params: { id: may(Name) }, result: u64, errors: ["UNKNOWN_FAULT"] },
    doc: "Takes a fault of requests away, or all of them; answers how many. What is late already stays late.",
    run({ host }, { id }) {
      const cleared = host.live().clientFaults.clear(id);
      if (id !== undefined && cleared === 0) return refuse("UNKNOWN_FAULT", `there is no fault ${id}`);
      return ok(BigInt(cleared));
    },
  }),
};
