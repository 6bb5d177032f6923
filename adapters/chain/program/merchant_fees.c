/*
 * What a merchant's OPEN vault pays besides a deposit at opening, and what a recovered stake brings back to it.
 * Source: protocol 03 D.4, D.5.
 */

/* Takes from what the vault has available in OPEN, and from its total. */
static u64 spend_available(const Account *vault, u64 amount) {
  TRY(book_take(vault, VAULT_AVAILABLE, amount, INSUFFICIENT_AVAILABLE_LIQUIDITY));
  return book_take(vault, VAULT_TOTAL, amount, OVERFLOW);
}

/*
 * charge_ad_listing_fee(advertisement id 32): merchant, fee_config, OPEN vault, its tokens, 4 treasuries, OPEN mint,
 * token program. The id appears in the event only.
 */
static u64 charge_ad_listing_fee(const Call *call) {
  TRY(expect_arguments(call, 32));
  TRY(expect_accounts(call, "srwwwwwwrr"));
  const Account *merchant = &call->accounts[0], *fee_config = &call->accounts[1], *vault = &call->accounts[2];
  const Account *tokens = &call->accounts[3], *treasuries = &call->accounts[4], *mint = &call->accounts[8];
  const Account *token_program = &call->accounts[9];
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_open_mint(mint, token_program));
  TRY(expect_vault_of(call, vault, merchant->key, mint->key));
  TRY(expect_vault_tokens(call, vault, tokens));
  TRY(expect_treasuries(fee_config, treasuries, mint, token_program));
  const u64 fee = load_u64(fee_config->data + FEE_CONFIG_AD_LISTING_FEE);
  REQUIRE(fee > 0, NO_FEE_CONFIGURED);
  TRY(spend_available(vault, fee));

  FeeSplit split;
  split_shares(&split, fee_config, fee);
  Slice seeds[4];
  const Signer signer = vault_signer(vault, seeds);
  for (u64 index = 0; index < TREASURY_COUNT; index++) {
    const Transfer transfer = {token_program, mint, tokens, &treasuries[index], vault, split.parts[index], signer};
    TRY(transfer_tokens(&transfer));
  }
  Event event;
  begin_event(&event, EVENT_AD_LISTING_FEE_CHARGED);
  put_key(&event, merchant->key);
  put_key(&event, arguments(call));
  put_key(&event, mint->key);
  put_u64(&event, fee);
  put_u64(&event, load_u64(vault->data + VAULT_AVAILABLE));
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}

/*
 * top_up_arbitration_deposit: case, escrow, OPEN mint, merchant's OPEN vault, its tokens, pool, token program.
 * Anyone; pays what is missing of the deposit as far as the vault can.
 */
static u64 top_up_arbitration_deposit(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "wrrwwwr"));
  const Account *account = &call->accounts[0], *escrow = &call->accounts[1], *mint = &call->accounts[2];
  const Account *vault = &call->accounts[3], *tokens = &call->accounts[4], *pool = &call->accounts[5];
  const Account *token_program = &call->accounts[6];
  CaseParts parts;
  TRY(expect_case(call, account, &parts));
  TRY(expect_escrow(call, escrow));
  TRY(expect_key(escrow, account->data + CASE_TRADE_ESCROW));
  const u8 *seller = escrow->data + ESCROW_SELLER;
  const Slice owner[2] = {SLICE(seller, 32), SLICE(mint->key, 32)};
  TRY(expect_open_mint(mint, token_program));
  TRY(expect_deposit_vault(call, vault, tokens, owner));
  TRY(expect_pool(call, pool, mint, token_program));
  REQUIRE(account->data[CASE_RESOLVED] == 0, DISPUTE_ALREADY_RESOLVED);
  REQUIRE(parts.deposit_shortfall > 0, NO_DEPOSIT_SHORTFALL);
  const u64 available = is_unused(vault) ? 0 : load_u64(vault->data + VAULT_AVAILABLE);
  REQUIRE(available > 0, NO_LIQUIDITY_FOR_SHORTFALL);
  const u64 amount = parts.deposit_shortfall < available ? parts.deposit_shortfall : available;
  TRY(spend_available(vault, amount));
  parts.deposit += amount;
  parts.deposit_shortfall -= amount;
  write_case(account, &parts);

  Slice seeds[4];
  const Transfer transfer = {token_program, mint, tokens, pool, vault, amount, vault_signer(vault, seeds)};
  TRY(transfer_tokens(&transfer));
  Event event;
  begin_event(&event, EVENT_ARBITRATION_DEPOSIT_TOPPED_UP);
  put_u64(&event, load_u64(account->data + CASE_RESERVATION_ID));
  put_key(&event, seller);
  put_key(&event, mint->key);
  put_u64(&event, amount);
  put_u64(&event, parts.deposit);
  put_u64(&event, parts.deposit_shortfall);
  put_u64(&event, load_u64(vault->data + VAULT_AVAILABLE));
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}

/* The recovery claim of a merchant, and the staking program's receipt of what it recovered from the stake. */
static u64 expect_recovery(const Call *call, const Account *claim, const Account *receipt) {
  u8 bump;
  TRY(expect_kind(claim, call->program, CLAIM_BYTES, CLAIM_KIND));
  const Slice claim_seeds[4] = {
    TEXT("stake_recovery_claim"), SLICE(claim->data + CLAIM_MERCHANT, 32), SLICE(claim->data + CLAIM_MINT, 32),
    SLICE(claim->data + CLAIM_BUMP, 1),
  };
  TRY(expect_derived(claim->key, call->program, claim_seeds, 4));
  TRY(expect_kind(receipt, STAKING_PROGRAM, STAKE_RECOVERY_RECEIPT_BYTES, STAKE_RECOVERY_RECEIPT_KIND));
  const Slice receipt_seeds[2] = {TEXT("stake_recovery_receipt"), SLICE(claim->data + CLAIM_MERCHANT, 32)};
  return find_bump(receipt->key, STAKING_PROGRAM, receipt_seeds, 2, &bump);
}

/* What the vault's tokens must come to: all that the book knows, and what is about to be credited. Fails: 6041. */
static u64 expect_recovered_tokens(const Account *vault, const Account *tokens, u64 amount) {
  const u64 total = load_u64(vault->data + VAULT_TOTAL);
  REQUIRE(total + amount >= total, OVERFLOW);
  REQUIRE(token_amount(tokens) >= total + amount, RECOVERED_TOKENS_MISSING);
  return SUCCESS;
}

/*
 * absorb_stake_recovery: OPEN mint, claim, recovery receipt, merchant's OPEN vault, its tokens. Anyone; credits what
 * the staking program has paid into the vault's tokens.
 */
static u64 absorb_stake_recovery(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "rwrwr"));
  const Account *mint = &call->accounts[0], *claim = &call->accounts[1], *receipt = &call->accounts[2];
  const Account *vault = &call->accounts[3], *tokens = &call->accounts[4];
  Account token_program = *mint;
  token_program.key = mint->owner;
  TRY(expect_open_mint(mint, &token_program));
  TRY(expect_recovery(call, claim, receipt));
  TRY(expect_vault_of(call, vault, claim->data + CLAIM_MERCHANT, mint->key));
  TRY(expect_vault_tokens(call, vault, tokens));
  TRY(expect_token_account(tokens, &token_program, mint->key));
  const u64 recovered = load_u64(receipt->data + STAKE_RECOVERY_RECEIPT_TOTAL);
  const u64 owed = load_u64(claim->data + CLAIM_OWED_TOTAL), credited = load_u64(claim->data + CLAIM_CREDITED_TOTAL);
  REQUIRE(recovered > credited, NOTHING_TO_ABSORB);
  const u64 amount = recovered - credited;
  TRY(expect_recovered_tokens(vault, tokens, amount));
  store_u64(claim->data + CLAIM_CREDITED_TOTAL, recovered);
  TRY(book_add(vault, VAULT_TOTAL, amount));
  TRY(book_add(vault, VAULT_AVAILABLE, amount));

  Event event;
  begin_event(&event, EVENT_STAKE_RECOVERY_ABSORBED);
  put_key(&event, claim->data + CLAIM_MERCHANT);
  put_key(&event, claim->key);
  put_key(&event, mint->key);
  put_u64(&event, amount);
  put_u64(&event, owed);
  put_u64(&event, recovered);
  put_u64(&event, owed > recovered ? owed - recovered : 0);
  put_u64(&event, load_u64(vault->data + VAULT_AVAILABLE));
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}
