/**
 * What one more statement costs an advertisement that has ten thousand requests, against one that has none.
 * Source: DESIGN "Budgets": late at most 5 ms, in order within 1.3 times of a plain apply.
 */
import type { Statement } from "../../core/kernel/signed.ts";
import { at, merchant, taker } from "../convergence/actors.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { openReplica, received } from "../convergence/replica.ts";
import type { Bench, Figure } from "./measure.ts";
import { median, rounded, timed } from "./measure.ts";

const REQUESTS = 10_000;
const SAMPLES = 101;
/** Ten a minute: three hundred within one window. */
const MINUTES_APART = 0.1;

const offer = fixtures.advertisement(merchant, at(-100), { liquidity: fixtures.units(10n ** 12n), max: 1_000_000 });
const request = (id: string, minutes: number): Statement => fixtures.request(taker, at(minutes), { id, amount: 100 });

function filled(requests: number) {
  const replica = openReplica();
  const held = Array.from({ length: requests }, (_, n) => request(`${n + 1}`, n * MINUTES_APART));
  replica.receive(received(offer, ...held));
  return replica;
}

/** The median time of hearing each of some statements. */
function cost(replica: ReturnType<typeof filled>, statements: readonly Statement[]): number {
  return median(statements.map((statement) => timed(() => replica.receive(received(statement)))));
}

type Hearing = readonly [replica: ReturnType<typeof filled>, statements: readonly Statement[]];

/** The same of two replicas that hear in turns, so that a slow moment of the machine meets both. */
function inTurns([one, ones]: Hearing, [other, others]: Hearing): readonly [number, number] {
  const pairs = ones.map((statement, n) => {
    const rival = others[n] as Statement;
    return [timed(() => one.receive(received(statement))), timed(() => other.receive(received(rival)))] as const;
  });
  return [median(pairs.map(([time]) => time)), median(pairs.map(([, time]) => time))];
}

function sample(prefix: string, minutes: (n: number) => number): readonly Statement[] {
  return Array.from({ length: SAMPLES }, (_, n) => request(`${prefix}${n}`, minutes(n)));
}

export const foldBench: Bench = {
  async run() {
    const end = REQUESTS * MINUTES_APART;
    const full = filled(REQUESTS);
    const [inOrder, plain] = inTurns(
      [full, sample("in order ", (n) => end + n * MINUTES_APART)],
      [filled(0), sample("plain ", (n) => n * MINUTES_APART)],
    );
    const late = cost(
      full,
      sample("late ", (n) => 0.05 + (n * end) / SAMPLES),
    );
    const acts = Array.from({ length: 11 }, (_, n) => {
      const about = { id: `s${n}`, about: `${n + 1}`, amount: 100 };
      full.receive(received(fixtures.initiate(taker, merchant, at(n * MINUTES_APART + 0.01), about)));
      full.receive(received(fixtures.payment(taker, at(n * MINUTES_APART + 0.02), `s${n}`)));
      return fixtures.approve(merchant, at(n * MINUTES_APART + 0.03), `s${n}`);
    });
    const approve = cost(full, acts);
    const status = cost(full, [fixtures.statusSet(merchant, "ad", "Vacation", at(end * 2))]);
    const figures: readonly Figure[] = [
      { name: "late request into 10,000", value: rounded(late), unit: "ms", bar: { most: 5 } },
      { name: "late approval among 10,000", value: rounded(approve), unit: "ms", bar: { most: 5 } },
      { name: "status over 10,000", value: rounded(status), unit: "ms", bar: { most: 5 } },
      { name: "in-order request into 10,000", value: rounded(inOrder), unit: "ms" },
      { name: "in order, against an empty one", value: rounded(inOrder / plain), unit: "times", bar: { most: 1.3 } },
    ];
    return figures;
  },
};
