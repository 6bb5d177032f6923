/**
 * Goal: an account's bytes do not depend on who looked at them, and when (sim/chain/model/held-account.ts).
 * Method: random sequences of commands on two models, one of which shows every account after each transaction; token
 * accounts begin with bytes that no rule of the model ever looks at.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import { arbCommands, arbFirstDay } from "./arbitrary-commands.ts";
import { at, contextAt, crypto, START_UNIX, wireOf } from "./chain-world.ts";

test("accounts that were read after every transaction hold what unread ones do", async () => {
  const property = fc.asyncProperty(arbFirstDay, arbCommands, async (usual, commands) => {
    const day = usual.map(delegated);
    const [read, unread] = [openModel(at, crypto, day), openModel(at, crypto, day)];
    let now = START_UNIX;
    for (const [index, { payer, instructions, wait, put }] of commands.entries()) {
      now += wait;
      const wire = wireOf(payer, instructions, index);
      for (const model of [read, unread]) {
        if (put !== undefined) await model.putAccount(put.address, put.account);
      }
      expect(read.executeNow(wire, contextAt(now))).toEqual(unread.executeNow(wire, contextAt(now)));
      read.accounts();
    }
    expect(unread.accounts()).toEqual(read.accounts());
  });
  await fc.assert(property, { numRuns: 60, seed: 4200 });
}, 120_000);

/** Where a token account holds what its delegate may move. */
const DELEGATED_AMOUNT_AT = 121;

function delegated({ address, account }: GenesisAccount): GenesisAccount {
  if (account.data.length !== TOKEN_ACCOUNT_BYTES) return { address, account };
  const data = account.data.slice();
  data[DELEGATED_AMOUNT_AT] = 7;
  return { address, account: { ...account, data } };
}
