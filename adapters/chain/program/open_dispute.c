/*
 * open_dispute_case: a party freezes a trade, the merchant's OPEN vault pays the deposit as far as it can.
 * Source: protocol 03 D.4, D.5, D.8 (open), E4.
 */
#define CLAIM_BYTES 93
#define CLAIM_KIND NAMED(0xd1fc76b484290d9f)
#define CLAIM_MERCHANT 8
#define CLAIM_MINT 40
#define CLAIM_OWED_TOTAL 72
#define CLAIM_CREDITED_TOTAL 80
#define CLAIM_CASE_COUNT 88
#define CLAIM_BUMP 92

#define DISPUTE_WINDOW_SECS_MIN 60
/* Commit and reveal window together: shorter than an arbitrator's unbonding of 3 days. Source: protocol 03 D.3, D.8. */
#define DISPUTE_WINDOWS_SECS_MAX 259199

/* The accounts of an opening, in the order of protocol 03 D.4. */
typedef struct {
  const Account *party, *ban_record, *payer, *escrow, *dispute_case, *fee_config, *mint, *vault, *vault_tokens;
  const Account *pool, *claim, *token_program, *slot_hashes;
  const u8 *seller;
  u8 case_bump, claim_bump;
  u64 deposit, shortfall;
} Opening;

static void name_opening(const Call *call, Opening *opening) {
  const Account *accounts = call->accounts;
  opening->party = &accounts[0];
  opening->ban_record = &accounts[1];
  opening->payer = &accounts[2];
  opening->escrow = &accounts[3];
  opening->dispute_case = &accounts[4];
  opening->fee_config = &accounts[5];
  opening->mint = &accounts[6];
  opening->vault = &accounts[7];
  opening->vault_tokens = &accounts[8];
  opening->pool = &accounts[9];
  opening->claim = &accounts[10];
  opening->token_program = &accounts[11];
  opening->slot_hashes = &accounts[13];
  opening->seller = opening->escrow->data + ESCROW_SELLER;
}

/* Party 6009, then trade state 6007. */
static u64 expect_disputable(const Opening *opening) {
  const u8 *party = opening->party->key;
  const int buyer = keys_equal(opening->escrow->data + ESCROW_BUYER, party);
  REQUIRE(buyer || keys_equal(opening->seller, party), NOT_A_PARTY_TO_THIS_TRADE);
  REQUIRE(escrow_state(opening->escrow) == AWAITING_FIAT_SETTLEMENT, INVALID_VAULT_STATE);
  return SUCCESS;
}

/*
 * The merchant's OPEN vault and its tokens at their addresses. A vault that was never made holds nothing:
 * a merchant cannot keep a dispute from being opened by having none.
 */
static u64 expect_deposit_vault(const Call *call, const Account *vault, const Account *tokens, const Slice owner[2]) {
  u8 bump;
  const Slice vault_seeds[3] = {TEXT("liquidity_vault"), owner[0], owner[1]};
  const Slice tokens_seeds[3] = {TEXT("liquidity_vault_tokens"), owner[0], owner[1]};
  TRY(find_bump(vault->key, call->program, vault_seeds, 3, &bump));
  TRY(find_bump(tokens->key, call->program, tokens_seeds, 3, &bump));
  if (is_unused(vault)) return SUCCESS;
  return expect_kind(vault, call->program, VAULT_BYTES, VAULT_KIND);
}

static u64 expect_claim(const Call *call, Opening *opening) {
  const Slice seeds[3] = {
    TEXT("stake_recovery_claim"), SLICE(opening->seller, 32), SLICE(opening->mint->key, 32),
  };
  TRY(find_bump(opening->claim->key, call->program, seeds, 3, &opening->claim_bump));
  if (is_unused(opening->claim)) return SUCCESS;
  return expect_kind(opening->claim, call->program, CLAIM_BYTES, CLAIM_KIND);
}

static u64 expect_opening_accounts(const Call *call, Opening *opening) {
  const Slice owner[2] = {SLICE(opening->seller, 32), SLICE(opening->mint->key, 32)};
  const Slice case_seeds[2] = {TEXT("dispute_case"), SLICE(opening->escrow->data + ESCROW_RESERVATION_ID, 8)};
  TRY(expect_ban_record(opening->ban_record, opening->party->key));
  TRY(find_bump(opening->dispute_case->key, call->program, case_seeds, 2, &opening->case_bump));
  TRY(expect_fee_config(call, opening->fee_config));
  TRY(expect_pool(call, opening->pool, opening->mint, opening->token_program));
  TRY(expect_deposit_vault(call, opening->vault, opening->vault_tokens, owner));
  TRY(expect_claim(call, opening));
  TRY(expect_key(&call->accounts[12], SYSTEM_PROGRAM));
  TRY(expect_key(opening->slot_hashes, SLOT_HASHES_SYSVAR));
  return SUCCESS;
}

/* Stake that sits on a case cannot be withdrawn and staked again in time for another seat of the same round. */
static u64 expect_windows(i64 commit, i64 reveal) {
  REQUIRE(commit >= DISPUTE_WINDOW_SECS_MIN && commit <= DISPUTE_WINDOWS_SECS_MAX, DISPUTE_WINDOW_OUT_OF_RANGE);
  REQUIRE(reveal >= DISPUTE_WINDOW_SECS_MIN && reveal <= DISPUTE_WINDOWS_SECS_MAX, DISPUTE_WINDOW_OUT_OF_RANGE);
  REQUIRE(commit + reveal <= DISPUTE_WINDOWS_SECS_MAX, DISPUTE_WINDOW_OUT_OF_RANGE);
  return SUCCESS;
}

/* Takes min(filing fee, available) into the pool; what is missing is the shortfall. */
static u64 take_deposit(Opening *opening) {
  const u64 filing_fee = load_u64(opening->fee_config->data + FEE_CONFIG_DISPUTE_FILING_FEE);
  const u64 available = is_unused(opening->vault) ? 0 : load_u64(opening->vault->data + VAULT_AVAILABLE);
  opening->deposit = filing_fee < available ? filing_fee : available;
  opening->shortfall = filing_fee - opening->deposit;
  if (opening->deposit == 0) return SUCCESS;
  TRY(book_take(opening->vault, VAULT_AVAILABLE, opening->deposit, INSUFFICIENT_AVAILABLE_LIQUIDITY));
  TRY(book_take(opening->vault, VAULT_TOTAL, opening->deposit, OVERFLOW));
  Slice seeds[4];
  const Transfer transfer = {
    opening->token_program, opening->mint, opening->vault_tokens, opening->pool, opening->vault,
    opening->deposit, vault_signer(opening->vault, seeds),
  };
  return transfer_tokens(&transfer);
}

static u64 create_case(const Call *call, const Opening *opening, const u8 *slot_hash) {
  const Account *account = opening->dispute_case;
  const u8 *reservation = opening->escrow->data + ESCROW_RESERVATION_ID;
  const Slice seeds[3] = {TEXT("dispute_case"), SLICE(reservation, 8), SLICE(&opening->case_bump, 1)};
  const NewAccount new = {opening->payer, account, call->program, CASE_BYTES, {seeds, 3}};
  TRY(create_account(&new));
  u8 *data = account->data;
  store_u64(data, CASE_KIND);
  copy(data + CASE_RESERVATION_ID, reservation, 8);
  copy(data + CASE_TRADE_ESCROW, opening->escrow->key, 32);
  store_i64(data + CASE_OPENED_AT, call->now);
  copy(data + CASE_COMMIT_WINDOW, arguments(call), 16);
  begin_round(call, account, slot_hash);
  CaseParts parts;
  fill(&parts, 0, sizeof(parts));
  /* mutate: equivalent "32 -> 33", the byte behind is the first of deposit_mint, which is written next. */
  copy(parts.deposit_vault, opening->vault->key, 32);
  copy(parts.deposit_mint, opening->mint->key, 32);
  parts.deposit = opening->deposit;
  parts.deposit_shortfall = opening->shortfall;
  parts.outcome = NONE;
  parts.terminal_reason = NONE;
  parts.bump = opening->case_bump;
  write_case(account, &parts);
  write_buyer_mark(account, opening->escrow->data + ESCROW_BUYER);
  return SUCCESS;
}

static void emit_deposit_taken(const Call *call, const Opening *opening) {
  Event event;
  begin_event(&event, EVENT_ARBITRATION_DEPOSIT_TAKEN);
  put_u64(&event, load_u64(opening->escrow->data + ESCROW_RESERVATION_ID));
  put_key(&event, opening->seller);
  put_key(&event, opening->party->key);
  put_key(&event, opening->vault->key);
  put_key(&event, opening->mint->key);
  put_u64(&event, opening->deposit);
  put_u64(&event, opening->shortfall);
  put_i64(&event, call->now);
  emit(&event);
}

/* Adds a shortfall to what the merchant owes; makes the claim at the first one. */
static u64 record_shortfall(const Call *call, const Opening *opening) {
  const Account *claim = opening->claim;
  if (is_unused(claim)) {
    const Slice seeds[4] = {
      TEXT("stake_recovery_claim"), SLICE(opening->seller, 32), SLICE(opening->mint->key, 32),
      SLICE(&opening->claim_bump, 1),
    };
    const NewAccount new = {opening->payer, claim, call->program, CLAIM_BYTES, {seeds, 4}};
    TRY(create_account(&new));
    store_u64(claim->data, CLAIM_KIND);
    copy(claim->data + CLAIM_MERCHANT, opening->seller, 32);
    copy(claim->data + CLAIM_MINT, opening->mint->key, 32);
    claim->data[CLAIM_BUMP] = opening->claim_bump;
  }
  TRY(book_add(claim, CLAIM_OWED_TOTAL, opening->shortfall));
  const u32 case_count = load_u32(claim->data + CLAIM_CASE_COUNT) + 1;
  REQUIRE(case_count != 0, OVERFLOW);
  store_u32(claim->data + CLAIM_CASE_COUNT, case_count);

  Event event;
  begin_event(&event, EVENT_STAKE_RECOVERY_CLAIM_RECORDED);
  put_u64(&event, load_u64(opening->escrow->data + ESCROW_RESERVATION_ID));
  put_key(&event, opening->seller);
  put_key(&event, claim->key);
  put_key(&event, opening->mint->key);
  put_u64(&event, opening->shortfall);
  put_u64(&event, load_u64(claim->data + CLAIM_OWED_TOTAL));
  put_u64(&event, load_u64(claim->data + CLAIM_CREDITED_TOTAL));
  put_u32(&event, case_count);
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}

/*
 * open_dispute_case(commit window i64, reveal window i64). A trade in OPEN itself is refused at once (6022):
 * its case could never be executed, and the trade would stay frozen.
 */
static u64 open_dispute_case(const Call *call) {
  TRY(expect_arguments(call, 16));
  TRY(expect_accounts(call, "srbwwrrwwwwrrr"));
  Opening opening;
  const u8 *slot_hash;
  name_opening(call, &opening);
  TRY(expect_escrow(call, opening.escrow));
  TRY(expect_disputable(&opening));
  TRY(expect_opening_accounts(call, &opening));
  REQUIRE(
    !keys_equal(opening.escrow->data + ESCROW_MINT, opening.mint->key), DEPOSIT_VAULT_ALIASES_SETTLEMENT_VAULT
  );
  TRY(refuse_banned(opening.ban_record));
  TRY(expect_windows(load_i64(arguments(call)), load_i64(arguments(call) + 8)));
  TRY(newest_slot_hash(opening.slot_hashes, &slot_hash));

  TRY(take_deposit(&opening));
  TRY(create_case(call, &opening, slot_hash));
  opening.escrow->data[ESCROW_STATE] = FROZEN;
  emit_deposit_taken(call, &opening);
  return opening.shortfall == 0 ? SUCCESS : record_shortfall(call, &opening);
}
