/**
 * Reading accounts as of a slot: every endpoint is asked, and told is what they agree on, as soon as they do. One that
 * has not reached the slot is asked again later. An account that is asked for again while it is being read is one
 * order, first as of the earlier of both slots: a chain that stands still never shows it as of the later.
 * Source: protocol 03 A.10.3 R4, R7; C9.
 */
import { PublicKey } from "@solana/web3.js";
import type { ChainAccountBytes, ChainObservation, Commitment } from "../../core/index.ts";
import { toBase64 } from "../../core/index.ts";
import type { Alarm } from "./alarms.ts";
import type { Endpoint } from "./endpoint.ts";
import { EndpointError } from "./failures.ts";
import { slotNumber } from "./head.ts";
import { whenEnough } from "./pace.ts";
import type { Vote } from "./quorum.ts";
import { verdictOf } from "./quorum.ts";
import type { Tasks } from "./tasks.ts";

/** Accounts being read at most; beyond, a read is answered with `unavailable`. Source: DESIGN L10. */
export const READS_MAX = 10_000;
/**
 * Polls after which a read is given up, and contradictions from which it is no coincidence. Source: DESIGN "Waiting
 * times".
 */
export const TRIES_MAX = 60;
export const CONTRADICTIONS = 3;

/** Lamports are below: 64 bits. Those from 2^53 on are rounded by web3.js. Source: Solana's accounts (u64). */
const U64_END = 2 ** 64;

const UNASKED = { tries: 0, contradictions: 0 };

export interface AccountReadsOptions {
  readonly endpoints: readonly Endpoint[];
  readonly tasks: Tasks;
  readonly tell: (observation: ChainObservation) => void;
  readonly alarm: Alarm;
}

export interface AccountReads {
  read(address: string, slot: bigint, commitment: Commitment): void;
  /** Asks again for what is not answered yet. */
  again(): void;
}

interface Asked {
  readonly address: string;
  readonly commitment: Commitment;
  slot: bigint;
  /** The latest slot that it was asked for as of; not before `slot`. */
  latest: bigint;
  tries: number;
  contradictions: number;
  asking: boolean;
}

interface Told {
  readonly slot: bigint;
  readonly account: ChainAccountBytes | null;
}

interface Answer {
  readonly vote: Vote;
  readonly told?: Told;
}

/** An endpoint that has not answered yet. */
const OPEN: Answer = { vote: { type: "waits" } };

export function openAccountReads(options: AccountReadsOptions): AccountReads {
  const asked = new Map<string, Asked>();
  const start = (key: string, order: Asked) => {
    if (order.asking) return;
    order.asking = true;
    options.tasks.run(async () => {
      const answered = await readOnce(options, order).finally(() => {
        order.asking = false;
      });
      if (answered === undefined) return;
      if (answered.type === "account" && answered.slot < order.latest)
        Object.assign(order, { slot: order.latest, ...UNASKED });
      else asked.delete(key);
      if (!options.tasks.closed()) options.tell(answered);
    });
  };
  return {
    read(address, slot, commitment) {
      const key = `${commitment} ${address}`;
      const held = asked.get(key);
      if (held === undefined && asked.size >= READS_MAX)
        return void setImmediate(() =>
          options.tell({ type: "unavailable", reason: "too many accounts are being read" }),
        );
      const order = held ?? { address, commitment, slot, latest: slot, ...UNASKED, asking: false };
      if (slot < order.slot) order.slot = slot;
      if (slot > order.latest) order.latest = slot;
      asked.set(key, order);
      start(key, order);
    },
    again() {
      for (const [key, order] of asked) start(key, order);
    },
  };
}

/** What to tell; undefined when it has to be asked again. */
async function readOnce(
  { endpoints, alarm, tasks }: AccountReadsOptions,
  order: Asked,
): Promise<ChainObservation | undefined> {
  const { address, commitment, slot } = order;
  const asked = endpoints.map((endpoint) => askAccount(endpoint, address, slot, commitment));
  const verdictIn = (answers: readonly Answer[]) => verdictOf(answers.map(({ vote }) => vote));
  const answers = await whenEnough(asked, OPEN, (some) => verdictIn(some).type === "agreed");
  const verdict = verdictIn(answers);
  order.tries += 1;
  if (verdict.type === "agreed") {
    const agreeing = answers.flatMap(({ vote, told }) =>
      vote.type === "answers" && vote.answer === verdict.answer && told !== undefined ? [told] : [],
    );
    const [first] = agreeing;
    // All agree on the content, so it holds as of the earliest of their slots.
    const since = agreeing.reduce((least, each) => (each.slot < least ? each.slot : least), first?.slot ?? slot);
    if (order.slot > since) return undefined;
    if (order.contradictions + 1 >= CONTRADICTIONS)
      // Whoever speaks later is judged by it too.
      tasks.run(async () => {
        for (const [place, { vote }] of (await Promise.all(asked)).entries()) {
          if (vote.type === "answers" && vote.answer !== verdict.answer) alarm("account", endpoints[place]?.name ?? "");
        }
      });
    return { type: "account", address, slot: since, commitment, account: first?.account ?? null };
  }
  if (verdict.type === "contradicted") {
    // An account that just changes is read differently at two slots; one that is lied about, every time.
    order.contradictions += 1;
    const final = commitment === "finalized";
    if (final && order.contradictions >= CONTRADICTIONS) for (const { name } of endpoints) alarm("account", name);
  }
  return order.tries < TRIES_MAX ? undefined : { type: "unavailable", reason: "an account could not be read" };
}

async function askAccount(endpoint: Endpoint, address: string, slot: bigint, commitment: Commitment): Promise<Answer> {
  const options = { commitment, minContextSlot: Number(slot) };
  const answered = await endpoint.ask(async (connection) => {
    const { context, value } = await connection.getAccountInfoAndContext(new PublicKey(address), options);
    return { slot: slotNumber(context.slot), account: value && bytesOf(value) };
  });
  if (!answered.ok) return { vote: { type: endpoint.isOut() ? "mute" : "waits" } };
  const told = answered.value;
  // Older endpoints ignore the slot that was asked for.
  if (told.slot < slot) return { vote: { type: "waits" } };
  return { vote: { type: "answers", answer: accountText(told.account) }, told };
}

/** An account as web3.js tells it; throws what is no account, for the endpoint to be judged by. Source: DESIGN L10. */
export function bytesOf(account: {
  readonly owner: PublicKey;
  readonly lamports: number;
  readonly data: Uint8Array;
}): ChainAccountBytes {
  const { lamports } = account;
  const isU64 = Number.isInteger(lamports) && lamports >= 0 && lamports < U64_END;
  if (!isU64) throw new EndpointError({ type: "nonsense" });
  return {
    owner: account.owner.toBase58(),
    lamports: BigInt(lamports),
    data: new Uint8Array(account.data),
  };
}

/**
 * One text for an account, to compare by. Lamports are left out: no rule looks at them, and anybody can pay some into
 * any account at every slot, so that endpoints which are not at one slot would never agree.
 */
export function accountText(account: ChainAccountBytes | null): string {
  return account === null ? "none" : `${account.owner} ${toBase64(account.data)}`;
}
