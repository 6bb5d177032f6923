/*
 * Votes: an arbitrator takes a seat with a commitment, and opens it after the commit deadline.
 * Source: protocol 03 D.8 (commit, reveal, seat draw), W-14 (preimage), E6, E7.
 */
#define SORTITION_STEPS 7

/* The ticket of a stake account in a case: below the threshold, it is drawn. Source: protocol 03 D.8. */
static u64 sortition_ticket(const u8 *case_seed, const u8 *stake_address) {
  u8 digest[32];
  const Slice parts[3] = {TEXT("openfiat-arbitrator-sortition"), SLICE(case_seed, 32), SLICE(stake_address, 32)};
  sol_sha256(parts, 3, digest);
  return load_u64(digest) % BPS_WHOLE;
}

/* The threshold doubles at every eighth of the window and ends with everybody. Source: protocol 03 D.8. */
static u64 sortition_threshold(const u8 *data, u64 initial, i64 now) {
  const i64 opened_at = load_i64(data + CASE_ROUND_OPENED_AT);
  const i64 window = load_i64(data + CASE_COMMIT_DEADLINE) - opened_at;
  if (window <= 0 || initial >= BPS_WHOLE) return BPS_WHOLE;
  i64 elapsed = now - opened_at;
  if (elapsed < 0) elapsed = 0;
  if (elapsed > window) elapsed = window;
  const u64 step = (u64)elapsed * 8 / (u64)window;
  if (step >= SORTITION_STEPS) return BPS_WHOLE;
  const u64 threshold = initial << step;
  return threshold < BPS_WHOLE ? threshold : BPS_WHOLE;
}

static int is_drawn(const Call *call, const Account *account, const Account *stake, const Account *fee_config) {
  const u64 initial = load_u16(fee_config->data + FEE_CONFIG_SORTITION_BPS);
  if (initial == 0) return 1;
  const u64 ticket = sortition_ticket(account->data + CASE_SEED, stake->key);
  return ticket < sortition_threshold(account->data, initial, call->now);
}

/* The checks of a commit, in order, after its accounts are known to be what they should be. Source: protocol 03 D.8. */
static u64 expect_may_sit(const Call *call, const CaseParts *parts) {
  const Account *arbitrator = &call->accounts[0], *account = &call->accounts[1], *config = &call->accounts[2];
  const Account *stake = &call->accounts[3], *fee_config = &call->accounts[4];
  const i64 age_min = load_i64(fee_config->data + FEE_CONFIG_STAKE_AGE_SECS);
  REQUIRE(effective_stake(config, stake) >= arbitrator_minimum(config), ARBITRATOR_STAKE_BELOW_MINIMUM);
  REQUIRE(stake_age(stake, call->now) >= age_min, ARBITRATOR_STAKE_TOO_YOUNG);
  REQUIRE(call->now < load_i64(account->data + CASE_COMMIT_DEADLINE), COMMIT_WINDOW_CLOSED);
  REQUIRE(!is_barred(parts, arbitrator->key), ARBITRATOR_BARRED_FROM_CASE);
  REQUIRE(!is_party(call, account, parts, arbitrator->key), ARBITRATOR_BARRED_FROM_CASE);
  REQUIRE(is_drawn(call, account, stake, fee_config), NOT_DRAWN_FOR_THIS_CASE);
  REQUIRE(seat_of(parts, arbitrator->key) == parts->seats, ALREADY_COMMITTED);
  REQUIRE(parts->seats < SEATS_MAX, DISPUTE_CASE_FULL);
  return SUCCESS;
}

/* commit_dispute_vote(commitment 32): arbitrator, case, staking_config, stake account, fee_config. Weighs the seat. */
static u64 commit_dispute_vote(const Call *call) {
  TRY(expect_arguments(call, 32));
  TRY(expect_accounts(call, "swrrr"));
  const u8 *arbitrator = call->accounts[0].key;
  const Account *account = &call->accounts[1];
  CaseParts parts;
  TRY(expect_case(call, account, &parts));
  TRY(expect_staking_config(&call->accounts[2]));
  TRY(expect_arbitrator_stake(&call->accounts[3], arbitrator));
  TRY(expect_fee_config(call, &call->accounts[4]));
  TRY(expect_may_sit(call, &parts));

  const u64 seat = parts.seats;
  copy(parts.arbitrators[seat], arbitrator, 32);
  copy(parts.commitments[seat], arguments(call), 32);
  parts.revealed[seat] = NONE;
  parts.weights[seat] = effective_stake(&call->accounts[2], &call->accounts[3]);
  parts.seats = seat + 1;
  parts.seats_taken_total += 1;
  write_case(account, &parts);
  return SUCCESS;
}

/* s(outcome ‖ salt ‖ case address ‖ arbitrator key), 97 bytes: a copied commitment opens for nobody. W-14. */
static int opens_commitment(const u8 *commitment, const u8 *vote, const u8 *case_address, const u8 *arbitrator) {
  u8 digest[32];
  const Slice parts[3] = {SLICE(vote, 33), SLICE(case_address, 32), SLICE(arbitrator, 32)};
  sol_sha256(parts, 3, digest);
  return bytes_equal(digest, commitment, 32);
}

/*
 * reveal_dispute_vote(outcome u8, salt 32): arbitrator, case, staking_config, stake account. The weight is that of the
 * commit: no stake votes from two wallets.
 */
static u64 reveal_dispute_vote(const Call *call) {
  TRY(expect_arguments(call, 33));
  TRY(expect_accounts(call, "swrr"));
  const u8 *arbitrator = call->accounts[0].key;
  const Account *account = &call->accounts[1], *config = &call->accounts[2], *stake = &call->accounts[3];
  const u8 *vote = arguments(call);
  CaseParts parts;
  REQUIRE(vote[0] <= INVALID_DISPUTE, INVALID_INSTRUCTION_DATA);
  TRY(expect_case(call, account, &parts));
  TRY(expect_staking_config(config));
  TRY(expect_arbitrator_stake(stake, arbitrator));

  REQUIRE(call->now >= load_i64(account->data + CASE_COMMIT_DEADLINE), NOT_IN_REVEAL_WINDOW);
  REQUIRE(call->now < load_i64(account->data + CASE_REVEAL_DEADLINE), NOT_IN_REVEAL_WINDOW);
  const u64 seat = seat_of(&parts, arbitrator);
  REQUIRE(seat < parts.seats, NO_COMMITMENT_FOUND);
  REQUIRE(parts.revealed[seat] == NONE, ALREADY_REVEALED);
  REQUIRE(opens_commitment(parts.commitments[seat], vote, account->key, arbitrator), COMMITMENT_MISMATCH);

  parts.revealed[seat] = vote[0];
  write_case(account, &parts);
  return SUCCESS;
}
