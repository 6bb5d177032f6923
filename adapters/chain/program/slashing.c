/*
 * slash_dissenting_arbitrator: a decided case costs a seat that revealed another outcome a part of its stake, once.
 * This program is the slashing authority of the staking program, through an address of its own that signs nothing else.
 * Source: protocol 03 D.2, D.4, D.8, E14; protocol 05 Part 5.
 */
#define STAKING_SLASH NAMED(0xcc8d12a108b15c8e)
#define SLASH_ACCOUNTS 7
/* Misconduct code of a seat that revealed another outcome than the decided one. Source: protocol 03 D.8. */
#define MISCONDUCT_DISSENT 1

/* Refuses unless the arbitrator revealed another outcome than the decided one, and was not slashed for it yet. */
static u64 expect_dissent(const Account *account, const CaseParts *parts, const u8 *arbitrator, u64 *seat) {
  REQUIRE(account->data[CASE_RESOLVED] == 1 && parts->outcome != NONE, DISPUTE_NOT_DECIDED);
  *seat = seat_of(parts, arbitrator);
  REQUIRE(*seat < parts->seats, NO_COMMITMENT_FOUND);
  const u8 revealed = parts->revealed[*seat];
  REQUIRE(revealed != NONE && revealed != parts->outcome, NOT_A_DISSENTING_ARBITRATOR);
  REQUIRE(*seat >= parts->claims || !parts->claimed[*seat], ALREADY_SLASHED);
  return SUCCESS;
}

/* A seat that lost has no reward to claim: its flag tells that it was slashed. Without rewards it comes now. */
static void mark_slashed(CaseParts *parts, u64 seat) {
  while (parts->claims < parts->seats) parts->claimed[parts->claims++] = 0;
  parts->claimed[seat] = 1;
}

/* Calls `slash` with the accounts from the authority to the token program, in the order in which both have them. */
static u64 invoke_slash(const Call *call, const Signer *signer) {
  static const u8 writable[SLASH_ACCOUNTS] = {0, 0, 0, 1, 1, 1, 0};
  const Account *accounts[SLASH_ACCOUNTS];
  AccountMeta metas[SLASH_ACCOUNTS];
  u8 data[10];
  for (u64 index = 0; index < SLASH_ACCOUNTS; index++) {
    accounts[index] = &call->accounts[1 + index];
    metas[index] = (AccountMeta){accounts[index]->key, writable[index], index == 0};
  }
  store_u64(data, STAKING_SLASH);
  store_u16(data + 8, MISCONDUCT_DISSENT);
  const Instruction instruction = {STAKING_PROGRAM, metas, SLASH_ACCOUNTS, data, sizeof(data)};
  return invoke(&instruction, accounts, signer);
}

/*
 * slash_dissenting_arbitrator: case, slashing authority, OPEN mint, staking_config, stake account, stake vault,
 * destination, token program, staking program. Anyone. What the staking program refuses comes through.
 */
static u64 slash_dissenting_arbitrator(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "wrrrwwwrr"));
  const Account *account = &call->accounts[0], *stake = &call->accounts[4];
  CaseParts parts;
  u64 seat;
  u8 bump;
  const Slice seeds[2] = {TEXT("slashing_authority"), SLICE(&bump, 1)};
  TRY(expect_case(call, account, &parts));
  TRY(find_bump(call->accounts[1].key, call->program, seeds, 1, &bump));
  TRY(expect_kind(stake, STAKING_PROGRAM, STAKE_BYTES, STAKE_KIND));
  TRY(expect_arbitrator_stake(stake, stake->data + STAKE_OWNER));
  TRY(expect_key(&call->accounts[8], STAKING_PROGRAM));
  TRY(expect_dissent(account, &parts, stake->data + STAKE_OWNER, &seat));

  mark_slashed(&parts, seat);
  write_case(account, &parts);
  const Signer signer = {seeds, 2};
  return invoke_slash(call, &signer);
}
