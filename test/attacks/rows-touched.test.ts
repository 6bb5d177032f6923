/**
 * Goal: no step goes through a table that strangers can fill, a timer's included (CONVERGENCE B5).
 * Method: a node with N and with 4N rows of what anybody may sign; rows that a step reads, finds or goes through are
 * counted, and nothing is timed.
 */
import { describe, expect, test } from "vitest";
import type { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { AttachmentPublish as Publish } from "../../core/domains/content/attachments/schema.ts";
import { Attachments } from "../../core/domains/content/attachments/tables.ts";
import { Wants } from "../../core/domains/content/blocks/tables.ts";
import { LinkReadings } from "../../core/domains/governance/tables.ts";
import { planOccasion } from "../../core/domains/notifications/planning.ts";
import { noteNotificationDates } from "../../core/domains/notifications/sweep.ts";
import { Dispatches, Receipts, Subscriptions } from "../../core/domains/notifications/tables.ts";
import { challengePool } from "../../core/domains/rewards/challenge.ts";
import type { EpochMillis } from "../../core/index.ts";
import { encodeCompact } from "../../core/kernel/schema.ts";
import { Events, Frame, frameOf, OFS_GOSSIP, SUBSCRIBE_ALL } from "../../core/network/gossip/envelope.ts";
import { noteDates } from "../../core/network/gossip/sweep.ts";
import { meet } from "../../core/network/peers/peers.ts";
import { adEvent } from "../gossip/link.ts";
import type { CrowdedNode } from "../limits/crowded-node.ts";
import { crowdedNode } from "../limits/crowded-node.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { person } from "../rpc/lone-node.ts";
import { buyer, cidOf, png, T, third } from "../rpc/node-with-settlement.ts";

const [N, MANY] = [250, 1_000];
const peer = person(0x51);
/** What a few rows more may be worth: hours and minutes under which they are found. */
const SLACK = 8;

interface Case {
  readonly name: string;
  readonly chain?: "RpcConnected";
  /** So many rows that others are to blame for. */
  readonly fill: (node: CrowdedNode, rows: number) => void;
  readonly act: (node: CrowdedNode) => void;
  readonly rows?: readonly [number, number];
}

function attachment(author: typeof third, n: number): AttachmentPublish {
  return {
    ...{ id: `att-${n}`, subject: { Settlement: "set-1" }, author: author.peer, author_public_key: author.key },
    ...{ cid: cidOf(png(`${n}`)) as never, media_type: "Png", size_bytes: 9n, caption: "" },
    created_at: T,
  };
}

const fires = (timer: "content" | "notification-sweep" | "governance") => (node: CrowdedNode) =>
  void node.does({ type: "timer.fired", timer });

function attach(node: CrowdedNode, rows: number): void {
  for (let n = 0; n < rows; n++) node.put(Attachments, `${n}`, attachment(third, n));
}

const subscription = (n: number) => ({
  ...{ wallet: `wallet ${n}` as never, wallet_public_key: third.key, updated_at: T },
  ...{ enabled_categories: ["Governance" as const], destinations: [] },
});

const cases: readonly Case[] = [
  { name: "the sweep of content, among attachments", fill: attach, act: fires("content") },
  {
    name: "an attachment, among those of others that name its settlement",
    fill: attach,
    act: (node) => void node.gossip(Publish, attachment(buyer, 0), buyer),
  },
  {
    name: "a challenge of content, among attachments",
    fill(node, rows) {
      attach(node, rows);
      const want = { tries: 0, asked: null, asked_at: T };
      node.put(Wants, cidOf(png("0")), { root: cidOf(png("0")), claimed: false, ...want });
    },
    act: (node) => void challengePool(node.store, T),
  },
  {
    name: "the sweep of notifications, among dispatches and receipts",
    fill: (node, rows) =>
      node.withContext((context) => {
        const row = { notification_id: "n", service_id: "s" as never, recipient_wallet: third.peer, updated_at: T };
        const told = { ...row, trigger: "PaymentSubmitted", provider: third.peer } as const;
        for (let n = 0; n < rows; n++) {
          const dispatch = { ...told, channel: "Push", status: "Sent", handover: null } as never;
          context.draft.put(Dispatches, `${n}`, dispatch);
          context.draft.put(Receipts, `${n}`, { ...told, status: "Delivered", report: `${n}` } as never);
        }
        noteNotificationDates(context);
      }),
    act: fires("notification-sweep"),
  },
  {
    name: "a step of what many are told of",
    rows: [11_000, 22_000],
    fill(node, rows) {
      for (let n = 0; n < rows; n++) node.put(Subscriptions, `wallet ${n}`, subscription(n) as never);
    },
    act: (node) =>
      node.withContext((context) =>
        planOccasion(context, "ProposalPublished", { source: new Uint8Array(32), recipients: "subscribers" }),
      ),
  },
  {
    name: "the reading of governance, among proposals that claim numbers",
    chain: "RpcConnected",
    fill(node, rows) {
      const link = {
        address: "a",
        open: true,
        asked_at: 0n as EpochMillis,
        slot: 0n,
        read_at: null,
        account: null,
        readings: 0,
      };
      for (let n = 0; n < rows; n++) node.put(LinkReadings, `${n}`, { ...link, odd: n % 2 === 0 });
    },
    act: fires("governance"),
  },
  {
    name: "the protocol's own recovery, among events",
    rows: [7_000, 28_000],
    fill: (node, rows) =>
      node.withContext((context) => {
        meet(context, peer.peer, null);
        const event = adEvent(peer, "ad-1", T);
        for (let n = 0; n < rows; n++) context.draft.put(Events, `${n}`, { event, statement: null });
        noteDates(context);
      }),
    act(node) {
      const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL, node.now));
      node.does({ type: "message.received", from: peer.peer, replyTo: "1", bytes });
    },
  },
];

/** Rows that an act looks at among so many. */
function touchedAmong({ chain, fill, act }: Case, rows: number, open = crowdedNode): number {
  const node = open(T, chain === undefined ? {} : { chain });
  fill(node, rows);
  const before = node.touched();
  act(node);
  return node.touched() - before;
}

describe("looks at no more rows among 4N than among N", () => {
  test.each(cases)("$name", (each) => {
    const [few, many] = (each.rows ?? [N, MANY]).map((rows) => touchedAmong(each, rows)) as [number, number];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(few + SLACK);
  });
});

test("a planted bug is found: an author is looked for among all that name a settlement", async () => {
  const bug = {
    file: "core/domains/content/attachments/tables.ts",
    find: "shown: ({ author, subject }) => [`${author}/${subject.Settlement}`]",
    replace: 'shown: ({ subject }) => ["' + `${buyer.peer}/` + '" + subject.Settlement]',
  };
  const [, among] = cases;
  const touched = await withPlantedBug(bug, async (load) => {
    const { crowdedNode: open } = await load<typeof import("../limits/crowded-node.ts")>("test/limits/crowded-node.ts");
    return [N, MANY].map((rows) => touchedAmong(among as Case, rows, open));
  });
  expect(touched[1]).toBeGreaterThan((touched[0] ?? 0) + N);
});
