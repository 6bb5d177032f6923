/*
 * claim_arbitration_reward: a winning seat takes its part of a forfeited deposit, once.
 * Source: protocol 03 D.4, D.5, D.8 (rewards), E13.
 */

static int is_winning_seat(const CaseParts *parts, u64 seat) {
  return is_counted(parts, seat) && parts->revealed[seat] == parts->outcome;
}

/* Whether every other winning seat has claimed. */
static int is_last_claim(const CaseParts *parts, u64 claimant) {
  for (u64 seat = 0; seat < parts->seats; seat++) {
    if (seat != claimant && is_winning_seat(parts, seat) && !parts->claimed[seat]) return 0;
  }
  return 1;
}

/* min(remaining, floor(reward_pool × weight / winning_weight)); the last claimant takes all that remains. */
static u64 reward_of(const CaseParts *parts, u64 seat) {
  Wide product;
  if (is_last_claim(parts, seat)) return parts->reward_remaining;
  wide_multiply(&product, parts->reward_pool, parts->weights[seat]);
  const u64 share = product.high < parts->winning_weight ? wide_divide(&product, parts->winning_weight) : ~0ULL;
  return share < parts->reward_remaining ? share : parts->reward_remaining;
}

/* claim_arbitration_reward: arbitrator, case, fee_config, OPEN mint, pool, to, token program. */
static u64 claim_arbitration_reward(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "swrrwwr"));
  const Account *arbitrator = &call->accounts[0], *account = &call->accounts[1], *fee_config = &call->accounts[2];
  const Account *mint = &call->accounts[3], *pool = &call->accounts[4], *to = &call->accounts[5];
  const Account *token_program = &call->accounts[6];
  CaseParts parts;
  TRY(expect_case(call, account, &parts));
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_pool(call, pool, mint, token_program));
  TRY(expect_token_account(to, token_program, mint->key));

  REQUIRE(account->data[CASE_RESOLVED] == 1 && parts.outcome != NONE, DISPUTE_NOT_DECIDED);
  REQUIRE(parts.reward_pool > 0, NO_FEE_CONFIGURED);
  const u64 seat = seat_of(&parts, arbitrator->key);
  REQUIRE(seat < parts.seats && is_winning_seat(&parts, seat), NOT_A_WINNING_ARBITRATOR);
  REQUIRE(seat < parts.claims && !parts.claimed[seat], REWARD_ALREADY_CLAIMED);
  const u64 amount = reward_of(&parts, seat);
  parts.claimed[seat] = 1;
  parts.reward_remaining -= amount;
  write_case(account, &parts);

  Slice seeds[2];
  const Transfer transfer = {
    token_program, mint, pool, to, fee_config, amount, fee_config_signer(fee_config, seeds),
  };
  TRY(transfer_tokens(&transfer));
  Event event;
  begin_event(&event, EVENT_ARBITRATION_REWARD_CLAIMED);
  put_u64(&event, load_u64(account->data + CASE_RESERVATION_ID));
  put_key(&event, arbitrator->key);
  put_u64(&event, parts.weights[seat]);
  put_u64(&event, parts.winning_weight);
  put_u64(&event, amount);
  put_key(&event, to->key);
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}
