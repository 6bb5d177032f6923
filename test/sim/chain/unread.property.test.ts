/**
 * Goal: an account's bytes do not depend on who looked at them, and when (sim/chain/model/held-account.ts).
 * Method: random sequences of commands on two models, one of which shows every account after each transaction; token
 * accounts begin with bytes that no rule of the model ever looks at.
 */
import { expect, test } from "vitest";
import { openModel } from "../../../sim/chain/executors/model.ts";
import type { GenesisAccount } from "../../../sim/chain/genesis.ts";
import { TOKEN_ACCOUNT_BYTES } from "../../../sim/chain/token.ts";
import { forAllAsync } from "../../property/for-all.ts";
import type { Story } from "./arbitrary-commands.ts";
import { arbStory } from "./arbitrary-commands.ts";
import { at, contextAt, crypto, START_UNIX, wireOf } from "./chain-world.ts";

test("accounts that were read after every transaction hold what unread ones do", async () => {
  const holds = async ({ day: usual, commands }: Story): Promise<void> => {
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
  };
  const shares = {
    "fund_trade_escrow: done": 0.5,
    "commit_dispute_vote: done": 0.5,
    "execute_dispute_outcome: done": 0.4,
    "claim_arbitration_reward: done": 0.15,
    "another round": 0.3,
    InvalidAccountData: 0.3,
  };
  await forAllAsync([arbStory], holds, { runs: 12, sample: 90, classes: ({ labels }) => labels, shares });
});

/** Where a token account holds what its delegate may move. */
const DELEGATED_AMOUNT_AT = 121;

function delegated({ address, account }: GenesisAccount): GenesisAccount {
  if (account.data.length !== TOKEN_ACCOUNT_BYTES) return { address, account };
  const data = account.data.slice();
  data[DELEGATED_AMOUNT_AT] = 7;
  return { address, account: { ...account, data } };
}
