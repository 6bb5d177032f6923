/**
 * Why a node refuses a request: the request is put to nodes of a copy of the network, and nothing of the network itself
 * changes. Source: DESIGN section 6 "serve".
 */
import { isNumber, isObject, list, ok, option, parseJson, struct } from "../../../core/index.ts";
import { i32, plainText } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Name, NodeIndex } from "../../data/values.ts";
import type { SimNode } from "../../sim-node.ts";
import { holdLiveWorld, resumeLiveWorld } from "../live-world.ts";
import { openWorldHost } from "../world-host.ts";
import { fateOf, requestOf } from "./known-statement.ts";
import type { Controlled } from "./method.ts";
import { lacksNode, method, refuse } from "./method.ts";

/** How long a copy runs for one answer, in its own milliseconds. Source: protocol 01 §13.3, a call. */
const ANSWER_WITHIN_MS = 30_000;

const ExplainedData = struct("Explained", {
  node: NodeIndex,
  outcome: plainText,
  code: option(i32),
  check: option(plainText),
  reason: option(plainText),
  message: option(plainText),
  answer: option(plainText),
});
const group = "Network";

export const explainMethods = {
  sim_explain: method({
    ...{
      group,
      params: { request: may(Name), statement: may(Name), node: may(NodeIndex) },
      result: list(ExplainedData),
    },
    errors: ["UNKNOWN_NODE", "NO_REQUEST", "UNKNOWN_RECORD"],
    doc:
      "What would come of a request of JSON-RPC, given as its text, at one node or at each: taken or refused, by which " +
      "check (the name of its error, and the reason where one is told), and the whole answer; or that the node is down. " +
      "It is tried on copies of the network, each as it is now: nothing changes. Or what became of a statement, by its " +
      "identity: held; waiting, and for what; without effect, and why; and where a node has it not, what comes of it " +
      "there when it is sent again, also of one that every node refused.",
    async run(network, { request: given, statement, node }) {
      const lacks = node === undefined ? undefined : lacksNode(network, node);
      if (lacks !== undefined) return lacks;
      if ((given === undefined) === (statement === undefined))
        return refuse("NO_REQUEST", "either a request or the identity of a statement is explained");
      const request = given ?? requestOf(network.host, statement ?? "");
      if (request === undefined) return refuse("UNKNOWN_RECORD", `nobody was ever sent statement ${statement}`);
      const read = parseJson(request);
      if (!read.ok || !isObject(read.value)) return refuse("NO_REQUEST", "a request is the text of one JSON object");
      const asked = network.host.nodes().filter(({ index }) => (node ?? index) === index);
      const explained = [];
      for (const seat of asked) explained.push(await explainedAt(network, seat, request, statement));
      return ok(explained);
    },
  }),
};

async function explainedAt(network: Controlled, seat: SimNode, request: string, statement: string | undefined) {
  const { index, driver } = seat;
  if (driver() === undefined) return down(index);
  const fate = statement === undefined ? undefined : fateOf(seat, statement);
  if (fate !== undefined) return { ...nothing, node: index, ...fate };
  return explanation(index, await tried(network, index, request));
}

/** What a node of a copy answers; nothing when it does not in time. */
async function tried({ host, options }: Controlled, node: number, request: string): Promise<string | undefined> {
  const copy = openWorldHost(await resumeLiveWorld(options, holdLiveWorld(host.live())));
  try {
    return await copy.exclusive(async () => {
      const answered: { over: boolean; answer?: string | undefined } = { over: false };
      copy.call(node, request, (answer) => {
        answered.over = true;
        answered.answer = answer === undefined ? undefined : String(answer);
      });
      await copy.advance(copy.world().loop.now() + ANSWER_WITHIN_MS, () => answered.over);
      return answered.answer;
    });
  } finally {
    await copy.close();
  }
}

const nothing = { code: null, check: null, reason: null, message: null, answer: null };

function down(node: number) {
  return { ...nothing, node, outcome: "down" };
}

function explanation(node: number, answer: string | undefined) {
  const read = answer === undefined ? undefined : parseJson(answer);
  if (answer === undefined || read?.ok !== true || !isObject(read.value))
    return { ...nothing, node, outcome: "no answer" };
  const error = read.value.members.get("error");
  if (error === undefined || !isObject(error)) return { ...nothing, node, outcome: "taken", answer };
  const [code, message] = [error.members.get("code"), error.members.get("message")];
  const data = error.members.get("data");
  const textIn = (member: string) => {
    const value = data !== undefined && isObject(data) ? data.members.get(member) : undefined;
    return typeof value === "string" ? value : null;
  };
  return {
    ...{ node, outcome: "refused", code: code !== undefined && isNumber(code) ? Number(code.text) : null },
    ...{ message: typeof message === "string" ? message : null, answer },
    ...{ check: textIn("ofsErrorName"), reason: textIn("reason") },
  };
}
