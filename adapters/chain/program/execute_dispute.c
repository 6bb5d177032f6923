/*
 * execute_dispute_outcome: anyone, after the reveal deadline. Decides, re-opens, or splits for good.
 * Source: protocol 03 D.4, D.5 (order of events), D.8 (execute, results, pool floor), E8 to E12.
 */

/* The accounts of an execution and what it comes to. */
typedef struct {
  Trade trade;
  const Account *dispute_case, *deposit_mint, *pool, *deposit_vault, *deposit_tokens, *deposit_token_program;
  const Account *slot_hashes;
  u32 published_pool;
  u64 deposit_refunded;
} Execution;

static void name_execution(const Call *call, Execution *execution) {
  const Account *accounts = call->accounts;
  execution->trade = (Trade){
    .mint = &accounts[0], .escrow = &accounts[2], .escrow_tokens = &accounts[3], .vault = &accounts[4],
    .vault_tokens = &accounts[5], .buyer_tokens = &accounts[6], .fee_config = &accounts[7],
    .treasuries = &accounts[8], .token_program = &accounts[16],
  };
  execution->dispute_case = &accounts[1];
  execution->deposit_mint = &accounts[12];
  execution->pool = &accounts[13];
  execution->deposit_vault = &accounts[14];
  execution->deposit_tokens = &accounts[15];
  execution->deposit_token_program = &accounts[17];
  execution->slot_hashes = &accounts[18];
  execution->deposit_refunded = 0;
}

static u64 expect_execution_accounts(const Call *call, Execution *execution) {
  const Trade *trade = &execution->trade;
  const Slice owner[2] = {SLICE(trade->escrow->data + ESCROW_SELLER, 32), SLICE(execution->deposit_mint->key, 32)};
  TRY(expect_key(trade->escrow, execution->dispute_case->data + CASE_TRADE_ESCROW));
  TRY(expect_trade(call, trade));
  TRY(expect_vault_tokens(call, trade->vault, trade->vault_tokens));
  TRY(expect_payees(call, trade));
  TRY(expect_pool(call, execution->pool, execution->deposit_mint, execution->deposit_token_program));
  TRY(expect_deposit_vault(call, execution->deposit_vault, execution->deposit_tokens, owner));
  TRY(expect_key(execution->slot_hashes, SLOT_HASHES_SYSVAR));
  return published_pool(call, 19, &execution->published_pool);
}

/* Not resolved 6018, trade frozen 6007, time 6017, settlement mint not OPEN 6022. */
static u64 expect_executable(const Call *call, const Execution *execution) {
  const u8 *data = execution->dispute_case->data;
  REQUIRE(data[CASE_RESOLVED] == 0, DISPUTE_ALREADY_RESOLVED);
  REQUIRE(escrow_state(execution->trade.escrow) == FROZEN, INVALID_VAULT_STATE);
  REQUIRE(call->now >= load_i64(data + CASE_REVEAL_DEADLINE), REVEAL_WINDOW_STILL_OPEN);
  REQUIRE(
    !keys_equal(execution->trade.mint->key, execution->deposit_mint->key), DEPOSIT_VAULT_ALIASES_SETTLEMENT_VAULT
  );
  return SUCCESS;
}

/* The deposit goes back to what the merchant has available in OPEN. */
static u64 return_deposit(Execution *execution, CaseParts *parts) {
  parts->deposit_settled = 1;
  execution->deposit_refunded = parts->deposit;
  if (parts->deposit == 0) return SUCCESS;
  REQUIRE(!is_unused(execution->deposit_vault), INVALID_ACCOUNT);
  TRY(book_add(execution->deposit_vault, VAULT_TOTAL, parts->deposit));
  TRY(book_add(execution->deposit_vault, VAULT_AVAILABLE, parts->deposit));
  Slice seeds[2];
  const Transfer transfer = {
    execution->deposit_token_program, execution->deposit_mint, execution->pool, execution->deposit_tokens,
    execution->trade.fee_config, parts->deposit, fee_config_signer(execution->trade.fee_config, seeds),
  };
  return transfer_tokens(&transfer);
}

/* The deposit stays in the pool for the winning seats, none of which has claimed yet. */
static void forfeit_deposit(CaseParts *parts) {
  parts->deposit_settled = 1;
  parts->reward_pool = parts->deposit;
  parts->reward_remaining = parts->deposit;
  parts->claims = parts->seats;
  fill(parts->claimed, 0, SEATS_MAX);
}

/* Option<u8> as events and accounts write it. */
static void put_option(Event *event, u8 value) {
  put_u8(event, value != NONE);
  if (value != NONE) put_u8(event, value);
}

static void emit_resolved(const Call *call, const Execution *execution, const CaseParts *parts) {
  Event event;
  begin_event(&event, EVENT_DISPUTE_RESOLVED);
  put_u64(&event, load_u64(execution->dispute_case->data + CASE_RESERVATION_ID));
  put_key(&event, execution->trade.escrow->data + ESCROW_BUYER);
  put_key(&event, execution->trade.escrow->data + ESCROW_SELLER);
  put_option(&event, parts->outcome);
  put_u8(&event, execution->dispute_case->data[CASE_ROUND]);
  put_u64(&event, parts->winning_weight);
  put_u8(&event, (u8)parts->seats);
  put_u64(&event, parts->reward_pool);
  put_u64(&event, execution->deposit_refunded);
  put_i64(&event, call->now);
  emit(&event);
}

static void emit_terminal_split(const Call *call, const Execution *execution, const CaseParts *parts, u64 counted) {
  Event event;
  begin_event(&event, EVENT_DISPUTE_TERMINAL_SPLIT);
  put_u64(&event, load_u64(execution->dispute_case->data + CASE_RESERVATION_ID));
  put_u8(&event, parts->terminal_reason);
  put_u8(&event, execution->dispute_case->data[CASE_ROUND]);
  put_u8(&event, (u8)parts->seats);
  put_u8(&event, (u8)counted);
  put_u8(&event, (u8)parts->barred_count);
  put_u32(&event, parts->seats_taken_total);
  put_u32(&event, (u32)(COUNTED_VOTES_MIN + parts->barred_count));
  put_u32(&event, execution->published_pool);
  put_i64(&event, call->now);
  emit(&event);
}

/* A unique largest weight decides: money moves, and DisputeResolved says so. */
static u64 decide(const Call *call, Execution *execution, CaseParts *parts, const Tally *tally) {
  const Trade *trade = &execution->trade;
  execution->dispute_case->data[CASE_RESOLVED] = 1;
  parts->outcome = tally->outcome;
  parts->winning_weight = tally->winning_weight;
  if (tally->outcome == BUYER_WINS) {
    forfeit_deposit(parts);
    TRY(release_to_buyer(call, trade, 1));
  } else {
    TRY(tally->outcome == MUTUAL_SETTLEMENT ? split_evenly(trade) : return_to_merchant(trade));
    TRY(return_deposit(execution, parts));
  }
  write_case(execution->dispute_case, parts);
  emit_resolved(call, execution, parts);
  return SUCCESS;
}

/* No round is left, or too few arbitrators for another: half each, and no verdict. */
static u64 split_for_good(const Call *call, Execution *execution, CaseParts *parts, u64 counted) {
  execution->dispute_case->data[CASE_RESOLVED] = 1;
  TRY(split_evenly(&execution->trade));
  TRY(return_deposit(execution, parts));
  write_case(execution->dispute_case, parts);
  emit_resolved(call, execution, parts);
  emit_terminal_split(call, execution, parts, counted);
  return SUCCESS;
}

/* Seats that committed and kept silent never sit on this case again. */
static void bar_silent_seats(CaseParts *parts) {
  for (u64 seat = 0; seat < parts->seats && parts->barred_count < BARRED_MAX; seat++) {
    if (parts->revealed[seat] != NONE) continue;
    copy(parts->barred[parts->barred_count], parts->arbitrators[seat], 32);
    parts->barred_count += 1;
  }
}

/* Whether as many arbitrators can exist as another round needs. Only a published figure can deny it. */
static int pool_suffices(const Execution *execution, const CaseParts *parts) {
  const u32 published = execution->published_pool;
  const u32 known = published > parts->seats_taken_total ? published : parts->seats_taken_total;
  return published == 0 || known >= COUNTED_VOTES_MIN + parts->barred_count;
}

static u8 terminal_reason(const CaseParts *parts, const Tally *tally) {
  if (parts->seats < COUNTED_VOTES_MIN) return ROUND_UNSTAFFED;
  return tally->counted < COUNTED_VOTES_MIN ? QUORUM_NOT_REACHED : NO_CONSENSUS;
}

/* A fresh round with fresh deadlines, seed and seats. It logs nothing. */
static u64 open_next_round(const Call *call, const Execution *execution, CaseParts *parts) {
  const u8 *slot_hash;
  const Account *account = execution->dispute_case;
  TRY(newest_slot_hash(execution->slot_hashes, &slot_hash));
  account->data[CASE_ROUND] += 1;
  parts->seats = 0;
  begin_round(call, account, slot_hash);
  write_case(account, parts);
  return SUCCESS;
}

static u64 execute_dispute_outcome(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "rwwwwwwrwwwwrwwwrrrr"));
  Execution execution;
  CaseParts parts;
  Tally tally;
  name_execution(call, &execution);
  TRY(expect_case(call, execution.dispute_case, &parts));
  TRY(expect_execution_accounts(call, &execution));
  TRY(expect_executable(call, &execution));

  tally_votes(&parts, &tally);
  if (tally.outcome != NONE) return decide(call, &execution, &parts, &tally);
  bar_silent_seats(&parts);
  if (execution.dispute_case->data[CASE_ROUND] + 1 >= ROUNDS_MAX) {
    parts.terminal_reason = terminal_reason(&parts, &tally);
    return split_for_good(call, &execution, &parts, tally.counted);
  }
  if (pool_suffices(&execution, &parts)) return open_next_round(call, &execution, &parts);
  parts.terminal_reason = POOL_EXHAUSTED;
  return split_for_good(call, &execution, &parts, tally.counted);
}
