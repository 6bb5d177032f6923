/*
 * A wallet's stake in a role: its account, and what is put in. Source: protocol 03 D.3, D.4, E5.
 */

/* initialize_stake_account(role u8): owner, staking_config, stake account, system. The owner pays for it. */
static u64 initialize_stake_account(const Call *call) {
  TRY(expect_arguments(call, 1));
  TRY(expect_accounts(call, "brwr"));
  const Account *owner = &call->accounts[0], *stake = &call->accounts[2];
  const u8 *role = arguments(call);
  REQUIRE(*role < ROLE_COUNT, INVALID_INSTRUCTION_DATA);
  u8 bump;
  const Slice seeds[4] = {TEXT("stake"), SLICE(owner->key, 32), SLICE(role, 1), SLICE(&bump, 1)};
  TRY(expect_staking_config(&call->accounts[1]));
  TRY(find_bump(stake->key, STAKING_PROGRAM, seeds, 3, &bump));
  TRY(expect_key(&call->accounts[3], SYSTEM_PROGRAM));

  const NewAccount new = {owner, stake, STAKING_PROGRAM, STAKE_BYTES, {seeds, 4}};
  TRY(create_account(&new));
  store_u64(stake->data, STAKE_KIND);
  copy(stake->data + STAKE_OWNER, owner->key, 32);
  stake->data[STAKE_ROLE] = *role;
  stake->data[STAKE_BUMP] = bump;
  return SUCCESS;
}

/*
 * stake(amount u64): owner, ban_record, OPEN mint, staking_config, stake account, stake vault, from, token program.
 * A stake is nothing or reaches the role's minimum. Its age counts from the moment it was nothing before.
 */
static u64 stake_tokens(const Call *call) {
  TRY(expect_arguments(call, 8));
  TRY(expect_accounts(call, "srrrwwwr"));
  const Account *owner = &call->accounts[0], *ban_record = &call->accounts[1], *mint = &call->accounts[2];
  const Account *config = &call->accounts[3], *stake = &call->accounts[4], *vault = &call->accounts[5];
  const Account *from = &call->accounts[6], *token_program = &call->accounts[7];
  const u64 amount = load_u64(arguments(call));
  TRY(expect_ban_record(ban_record, owner->key));
  TRY(expect_staking_config(config));
  TRY(expect_staked_mint(mint, config, token_program));
  TRY(expect_stake_of(stake, owner->key));
  TRY(expect_stake_vault(vault, config, token_program));
  TRY(expect_token_account(from, token_program, mint->key));
  TRY(refuse_banned(ban_record));
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  if (load_u64(stake->data + STAKE_AMOUNT) == 0) store_i64(stake->data + STAKE_FIRST_STAKED_AT, call->now);
  TRY(add_to(stake, STAKE_AMOUNT, amount));
  REQUIRE(load_u64(stake->data + STAKE_AMOUNT) >= minimum_of(config, stake), STAKE_BELOW_MINIMUM);

  const Transfer transfer = {token_program, mint, from, vault, owner, amount, NO_SIGNER};
  return transfer_tokens(&transfer);
}
