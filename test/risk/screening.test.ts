// Goal: every pair of the table in core/domains/risk/README.md.
// Method: each set folded whole and backwards, read at an instant, in our profile and in the reference's.
import { assert, describe, test } from "vitest";
import { RISK_GRACE_MS, recordsAbout, screeningOf } from "../../core/domains/risk/views.ts";
import type { Statement } from "../../core/kernel/signed.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at, merchant, rival, stranger, taker } from "../convergence/actors.ts";
import { openReplica, received, replicaOf, rootsOf } from "../convergence/replica.ts";
import { marketRules } from "../rpc/lone-node.ts";
import { publish, register, withdraw } from "./fixtures.ts";

const [one, other] = [merchant, rival];
const about = taker.peer;
const registered = [register(one, at(0)), register(other, at(0))];
const DAY = 1_440;
const parity = marketRules(true);

function storeOf(statements: readonly Statement[]) {
  const whole = replicaOf(received(...statements));
  const reversed = openReplica();
  for (const each of received(...statements).reverse()) reversed.receive([each]);
  assert.equal(rootsOf(whole), rootsOf(reversed));
  return whole.store();
}

/** Ids of the active flags and the greatest severity. */
function screened(statements: readonly Statement[], now: EpochMillis, rules = marketRules(false)) {
  const { active_flags, highest_severity, wallet } = screeningOf(storeOf(statements), about, { now, rules });
  assert.equal(wallet, about);
  return [active_flags.map((flag) => flag.id), highest_severity];
}

describe("flags", () => {
  test("are shown in order of time, then id, with the greatest severity", () => {
    const flags = [
      publish(one, about, at(3), { id: "c", severity: "Medium" }),
      publish(other, about, at(2), { id: "b", severity: "Critical" }),
      publish(one, about, at(2), { id: "a", severity: "Informational" }),
      publish(one, stranger.peer, at(1), { id: "elsewhere" }),
    ];
    assert.deepEqual(screened([...registered, ...flags], at(9)), [["a", "b", "c"], "Critical"]);
  });

  test("count until just before their expiry", () => {
    const flag = publish(one, about, at(1), { until: at(5) });
    assert.deepEqual(screened([...registered, flag], (at(5) - 1n) as EpochMillis), [["r"], "Medium"]);
    assert.deepEqual(screened([...registered, flag], at(5)), [[], null]);
  });

  test("of one id, signed by two or twice by one, all count", () => {
    const twice = [publish(one, about, at(1)), publish(one, about, at(2)), publish(other, about, at(1))];
    assert.deepEqual(screened([...registered, ...twice], at(9))[0], ["r", "r", "r"]);
  });
});

describe("clearances", () => {
  const flag = publish(one, about, at(5), { id: "flag" });
  const cleared = (by: typeof one, minutes: number, until: EpochMillis | null = null) =>
    publish(by, about, at(minutes), { id: "clear", outcome: "Cleared", severity: "Critical", until });

  test("cut their own provider's flags of the same instant and before, not later ones", () => {
    assert.deepEqual(screened([...registered, flag, cleared(one, 5)], at(9)), [[], null]);
    assert.deepEqual(screened([...registered, flag, cleared(one, 6)], at(9)), [[], null]);
    assert.deepEqual(screened([...registered, flag, cleared(one, 4)], at(9)), [["flag"], "Medium"]);
  });

  test("leave other providers' flags, but under parity cut everybody's", () => {
    assert.deepEqual(screened([...registered, flag, cleared(other, 6)], at(9)), [["flag"], "Medium"]);
    assert.deepEqual(screened([...registered, flag, cleared(other, 6)], at(9), parity), [[], null]);
    assert.deepEqual(screened([...registered, flag, cleared(other, 5)], at(9), parity), [[], null]);
    assert.deepEqual(screened([...registered, flag, cleared(other, 4)], at(9), parity), [["flag"], "Medium"]);
  });

  test("that expired give the older flags back", () => {
    const set = [...registered, flag, cleared(one, 6, at(8))];
    assert.deepEqual(screened(set, (at(8) - 1n) as EpochMillis), [[], null]);
    assert.deepEqual(screened(set, at(8)), [["flag"], "Medium"]);
  });
});

describe("the join with the registry", () => {
  const flag = publish(one, about, at(1));
  const service = register(one, at(0));

  test("a record counts whenever its provider's registration is held, before or after it", () => {
    assert.deepEqual(screened([flag], at(9)), [[], null]);
    assert.deepEqual(screened([flag, register(one, at(8))], at(9)), [["r"], "Medium"]);
  });

  test("not under another type, not once withdrawn, again once registered anew", () => {
    const flagging = register(one, at(0), { Security: "WalletFlaggingProvider" });
    assert.deepEqual(screened([flag, flagging], at(9)), [[], null]);
    assert.deepEqual(screened([flag, service, withdraw(one, at(2))], at(9)), [[], null]);
    assert.deepEqual(screened([flag, service, withdraw(one, at(2)), register(one, at(3))], at(9)), [["r"], "Medium"]);
  });

  test("until seven days after the newest registration", () => {
    assert.deepEqual(screened([flag, service], at(7 * DAY)), [["r"], "Medium"]);
    assert.deepEqual(screened([flag, service], (at(7 * DAY) + 1n) as EpochMillis), [[], null]);
  });

  test("is not asked again under parity", () => {
    assert.deepEqual(screened([flag], at(9), parity), [["r"], "Medium"]);
  });

  test("a clearance by a provider that left cuts nothing", () => {
    const clear = publish(one, about, at(3), { id: "clear", outcome: "Cleared" });
    const gone = [register(other, at(0)), publish(other, about, at(1), { id: "x" }), flag, clear];
    assert.deepEqual(screened(gone, at(9))[0], ["x"]);
  });
});

test("the first 64 unexpired records of a provider about a wallet count, whoever came when", () => {
  const many = Array.from({ length: 66 }, (_, i) => publish(one, about, at(i), { id: String(i).padStart(2, "0") }));
  const expired = publish(one, about, at(-1), { id: "expired", until: at(0) });
  const [ids] = screened([...registered, expired, ...many, publish(other, about, at(99), { id: "zz" })], at(100));
  assert.equal(ids?.length, 65);
  assert.deepEqual([ids?.[63], ids?.[64]], ["63", "zz"]);
  assert.equal(screened([...registered, ...many], at(100), parity)[0]?.length, 66);
});

test("every record is listed in order of id, until seven days after its expiry", () => {
  const set = [
    publish(one, about, at(4), { id: "b", until: at(5) }),
    publish(stranger, about, at(3), { id: "c" }),
    publish(one, about, at(2), { id: "a", outcome: "Cleared" }),
  ];
  const listed = (now: EpochMillis) => recordsAbout(storeOf(set), about, now).map((record) => record.id);
  const last = (at(5) + BigInt(RISK_GRACE_MS)) as EpochMillis;
  assert.deepEqual(listed(last), ["a", "b", "c"]);
  assert.deepEqual(listed((last + 1n) as EpochMillis), ["a", "c"]);
});

test("texts at their bounds have effect, one byte or item more has none", () => {
  const has = (fields: Parameters<typeof publish>[3]) =>
    recordsAbout(storeOf([publish(one, about, at(1), fields)]), about, at(2)).length === 1;
  assert.isTrue(has({ reason: "é".repeat(512), evidence: Array(16).fill("e".repeat(256)) }));
  assert.isFalse(has({ reason: `${"é".repeat(512)}x` }));
  assert.isFalse(has({ evidence: Array(17).fill("e") }));
  assert.isFalse(has({ evidence: ["e".repeat(257)] }));
});
