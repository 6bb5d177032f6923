// Goal: what one node takes over RPC, every peer takes by gossip (DESIGN L6, L2): a statement that only one node would
// hold keeps it apart for good. Method: wild payloads of every type, and random stories, really signed, sent to one
// node over RPC as time goes on, some of it spoiled; what it keeps is found again at another once they are linked.
// Every method takes something in the stories, and refuses something with every code that its row declares. Two nodes
// that play the reference hold the same too, whatever they take.
import { assert, describe, test } from "vitest";
import { ClaimPublish } from "../../core/domains/identity/schema.ts";
import { DeliveryReport } from "../../core/domains/notifications/schema.ts";
import { Dispatches } from "../../core/domains/notifications/tables.ts";
import { methods } from "../../core/domains.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType, Statement } from "../../core/kernel/signed.ts";
import type { Reader } from "../../core/kernel/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { devnetNetwork } from "../../core/profile.ts";
import type { End } from "../gossip/two-nodes.ts";
import { linkedNodes } from "../gossip/two-nodes.ts";
import { author } from "../governance/fixtures.ts";
import { claimed } from "../identity/fixtures.ts";
import { forAll } from "../property/for-all.ts";
import type { Person } from "../rpc/lone-node.ts";
import { signedData } from "../rpc/lone-node.ts";
import { at } from "./actors.ts";
import type { Shuffle } from "./shuffle.ts";
import { shuffleOf } from "./shuffle.ts";
import type { Sent } from "./spoiled.ts";
import { forged, spoiled } from "./spoiled.ts";
import type { Story } from "./story.ts";
import { everyone, pick } from "./story.ts";
import { storyText } from "./story-text.ts";
import { arbDomains, arbIntents, arbSchedule, domainName, everyDomain, storyOf } from "./workload.ts";

const sends = Object.entries(methods).filter(([, { mutation }]) => mutation !== undefined);

/** The methods that take a type. */
function methodsOf({ name }: SignedType): readonly string[] {
  return sends
    .filter(([, { mutation }]) => mutation?.signed.some((type) => type.name === name))
    .map(([method]) => method);
}

/** Sends over RPC; what the node said, as a label. */
function send(end: End, method: string, { type, payload, by }: Sent): string {
  const answer = end.call(method, { data: signedData(type, payload, by as Person) });
  const { error } = JSON.parse(answer) as { readonly error?: { readonly data?: { readonly ofsErrorName: string } } };
  return error === undefined ? `${method} takes` : `${method} ${error.data?.ofsErrorName ?? "misfit"}`;
}

/** What the first end holds and the second does not, once they are linked and have compared their sets again. */
function keptApart({ ends, connect, compare }: ReturnType<typeof linkedNodes>): readonly Statement[] {
  connect();
  // Whoever plays the reference takes by order: what came before its parent is brought by the next comparison.
  for (const end of [1, 0] as const) compare(end);
  const [one, other] = [ends[0].driver.view, ends[1].driver.view];
  return [...one.keys(Statements)].flatMap((key) => {
    const statement = one.get(Statements, key);
    return statement === undefined || other.get(Statements, key) !== undefined ? [] : [statement];
  });
}

function expectNothingApart(link: ReturnType<typeof linkedNodes>): void {
  const apart = keptApart(link).map((statement) => ({ type: "statement" as const, statement }));
  if (apart.length > 0) assert.fail(`kept by one node alone:\n${storyText(apart)}`);
  assert.deepEqual(link.ends[0].driver.roots(), link.ends[1].driver.roots());
}

const TAKEN = "sendClaimPublish takes";

/** What is demanded at all has to be in one case at least. */
const SOMEWHERE = 0.001;
/** Refusals that no story can hear, and why. */
const NEVER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["PriceUpdate", "TermsUpdate", "StatusSet", "Disable"].map((edit) => [
      `sendAdvertisement${edit} INVALID_IDENTITY_CLAIM`,
      "only a node that plays the reference asks whether the stored merchant signed",
    ]),
  ),
  ...Object.fromEntries(
    ["VoteReveal", "MutualSettlementAgree"].map((act) => [
      `send${act} INVALID_DISPUTE_STATE`,
      "about a case that the chain decided, and these nodes see no chain",
    ]),
  ),
  "sendArbitratorJoin INVALID_DISPUTE_STATE": "about a case that the chain decided, or to the 65th who joins it",
  "sendProposalActivate takes": "only the chain accepts a proposal, and these nodes see no chain",
  "sendTradeChannelEntry RATE_LIMIT_EXCEEDED": "about the 513th entry of one author",
};

/** Every method of a domain takes something, and refuses something with every code of its row. */
function sharesOf(domain: string): Readonly<Record<string, number>> {
  const own = sends.filter(([, { mutation }]) => mutation?.signed.some((type) => domainName(type) === domain));
  const declared = own.flatMap(([method, { errors }]) => ["takes", ...errors].map((each) => `${method} ${each}`));
  return Object.fromEntries(declared.filter((label) => !(label in NEVER)).map((label) => [label, SOMEWHERE]));
}

/** What every domain's methods take at nodes that play the reference. */
const PARITY_SHARES = Object.fromEntries(
  sends.map(([method]) => [`${method} takes`, SOMEWHERE] as const).filter(([label]) => !(label in NEVER)),
);

test("what one node takes that plays the reference, every such peer takes", () => {
  forAll(
    [arbDomains(), arbIntents(20, 60), arbSchedule],
    (about, intents, schedule) => expectTakenByAll(storyOf(intents, about), schedule, true),
    { runs: 5, nightly: 500, sample: 20, shares: PARITY_SHARES },
  );
});

test.each([-20 * 86_400_000, 600_000])("nor does a date %i ms away keep those apart", (awayMs) => {
  const now = at(0);
  const told = { profile: { ...devnetNetwork, parity: true } };
  const link = linkedNodes([told, told], { now });
  const payload = claimed(author, (now + BigInt(awayMs)) as EpochMillis);
  assert.equal(send(link.ends[0], "sendClaimPublish", { type: ClaimPublish, payload, by: author } as never), TAKEN);
  expectNothingApart(link);
});

describe("what one node takes of a story, every peer takes", () => {
  test.each(everyDomain)("in stories of %s", (domain) => {
    forAll(
      [arbIntents(20, 60), arbSchedule],
      (intents, schedule) => expectTakenByAll(storyOf(intents, [domain]), schedule),
      { runs: 2, nightly: 100, sample: domain === "trade" ? 90 : 15, shares: sharesOf(domain) },
    );
  });

  test("in stories over every domain", () => {
    forAll(
      [arbDomains(), arbIntents(20, 60), arbSchedule],
      (about, intents, schedule) => expectTakenByAll(storyOf(intents, about), schedule),
      { runs: 5, nightly: 500, sample: 20, shares: { "ten methods": 0.2 } },
    );
  });
});

/** Sends a story to one node, and links another; what the first said, in labels. */
function expectTakenByAll(story: Story, schedule: number, parity = false): readonly string[] {
  const clock = { now: at(0) };
  const told = { profile: { ...devnetNetwork, parity } };
  const link = linkedNodes([told, told], clock);
  const [{ driver }] = link.ends;
  const random = shuffleOf(schedule);
  const labels = new Set<string>();
  const taking = new Set<string>();
  story.observations.forEach((each, place) => {
    if (each.type !== "statement") return;
    clock.now = story.times[place] ?? clock.now;
    const { type, payload, signer } = each.statement;
    const by = everyone.find(({ peer }) => peer === signer);
    const method = pick(methodsOf(type), random.below(9));
    if (by === undefined || method === undefined) return;
    const sent: Sent = { type, payload: informed(type, payload as RecordOf<Fields>, driver.view), by };
    for (const one of withSpoiled(sent, clock.now, random)) labels.add(send(link.ends[0], method, one));
    if (labels.has(`${method} takes`)) taking.add(method);
  });
  expectNothingApart(link);
  if (!parity) for (const label of labels) assert.notProperty(NEVER, label);
  return [...labels, ...(taking.size >= 10 ? ["ten methods"] : [])];
}

/** A statement, and before or after it what others made of it. */
function withSpoiled(sent: Sent, now: EpochMillis, random: Shuffle): readonly Sent[] {
  const parts = [[sent], spoiled(sent, now, random.below(9_999)), random.below(3) === 0 ? forged(sent) : []];
  return random.shuffled(parts).flat();
}

/** A gateway reports what the node handed to it, where there is anything. */
function informed(type: SignedType, payload: RecordOf<Fields>, view: Reader): RecordOf<Fields> {
  const report = payload as unknown as DeliveryReport;
  if (type.name !== DeliveryReport.name) return payload;
  const own = [...view.keys(Dispatches)].flatMap((key) => view.get(Dispatches, key) ?? []);
  const dispatch = own.find(
    ({ provider, service_id }) => provider === report.provider && service_id === report.service_id,
  );
  if (dispatch === undefined) return payload;
  const { notification_id, recipient_wallet, trigger } = dispatch;
  return { ...payload, notification_id, recipient_wallet, trigger } as RecordOf<Fields>;
}
