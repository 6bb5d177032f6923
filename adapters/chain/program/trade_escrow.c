/*
 * Trade escrows: what a seller locked for one reservation, from creation to release or return.
 * Source: protocol 03 D.3, D.4, D.7, E1 to E3.
 */
#define ESCROW_BYTES 140
#define ESCROW_KIND NAMED(0x40de25bd51062756)
#define ESCROW_RESERVATION_ID 8
#define ESCROW_BUYER 16
#define ESCROW_SELLER 48
#define ESCROW_MINT 80
#define ESCROW_AMOUNT 112
#define ESCROW_STATE 120
#define ESCROW_APPROVED 121
#define ESCROW_CREATED_AT 122
#define ESCROW_TIMEOUT_AT 130
#define ESCROW_BUMP 138
#define ESCROW_TOKENS_BUMP 139

enum { RESERVED = 1, AWAITING_FIAT_SETTLEMENT = 2, RELEASED = 3, CANCELLED = 4, FROZEN = 5 };

/* The accounts that money moves between; `treasuries` leads to four accounts that follow each other. */
typedef struct {
  const Account *mint;
  const Account *escrow;
  const Account *escrow_tokens;
  const Account *vault;
  const Account *vault_tokens;
  const Account *buyer_tokens;
  const Account *fee_config;
  const Account *treasuries;
  const Account *token_program;
} Trade;

static u64 expect_escrow(const Call *call, const Account *escrow) {
  TRY(expect_kind(escrow, call->program, ESCROW_BYTES, ESCROW_KIND));
  const Slice seeds[3] = {
    TEXT("trade_escrow"), SLICE(escrow->data + ESCROW_RESERVATION_ID, 8), SLICE(escrow->data + ESCROW_BUMP, 1),
  };
  return expect_derived(escrow->key, call->program, seeds, 3);
}

static u64 expect_escrow_tokens(const Call *call, const Account *escrow, const Account *tokens) {
  const Slice seeds[3] = {
    TEXT("trade_escrow_tokens"), SLICE(escrow->data + ESCROW_RESERVATION_ID, 8),
    SLICE(escrow->data + ESCROW_TOKENS_BUMP, 1),
  };
  return expect_derived(tokens->key, call->program, seeds, 3);
}

/* The escrow's signature: it commands its token account. */
static Signer escrow_signer(const Account *escrow, Slice seeds[3]) {
  seeds[0] = TEXT("trade_escrow");
  seeds[1] = SLICE(escrow->data + ESCROW_RESERVATION_ID, 8);
  seeds[2] = SLICE(escrow->data + ESCROW_BUMP, 1);
  return (Signer){seeds, 3};
}

static u64 escrow_amount(const Account *escrow) {
  return load_u64(escrow->data + ESCROW_AMOUNT);
}

static u8 escrow_state(const Account *escrow) {
  return escrow->data[ESCROW_STATE];
}

/* Checks mint, token program, escrow, its tokens, and the seller's vault for the mint. */
static u64 expect_trade(const Call *call, const Trade *trade) {
  TRY(expect_escrow(call, trade->escrow));
  TRY(expect_escrow_tokens(call, trade->escrow, trade->escrow_tokens));
  TRY(expect_key(trade->mint, trade->escrow->data + ESCROW_MINT));
  TRY(expect_token_program(trade->token_program));
  TRY(expect_mint(trade->mint, trade->token_program));
  return expect_vault_of(call, trade->vault, trade->escrow->data + ESCROW_SELLER, trade->mint->key);
}

/* Checks who is paid on a release: the buyer's own tokens and the four treasuries. */
static u64 expect_payees(const Call *call, const Trade *trade) {
  const u8 *buyer = trade->escrow->data + ESCROW_BUYER;
  TRY(expect_fee_config(call, trade->fee_config));
  TRY(expect_tokens_of(trade->buyer_tokens, trade->token_program, trade->mint->key, buyer));
  return expect_treasuries(trade->fee_config, trade->treasuries, trade->mint, trade->token_program);
}

/* Moves tokens out of the escrow. */
static u64 pay_from_escrow(const Trade *trade, const Account *to, u64 amount) {
  Slice seeds[3];
  const Signer signer = escrow_signer(trade->escrow, seeds);
  const Transfer transfer = {
    trade->token_program, trade->mint, trade->escrow_tokens, to, trade->escrow, amount, signer,
  };
  return transfer_tokens(&transfer);
}

/*
 * create_trade_escrow(reservation u64, amount u64, timeout i64): merchant, ban_record, buyer, mint, fee_config,
 * vault, escrow, its tokens, token program, system, rent. Moves nothing; the vault must hold the reservation.
 */
static u64 create_trade_escrow(const Call *call) {
  TRY(expect_arguments(call, 24));
  TRY(expect_accounts(call, "brrrrwwwrrr"));
  const Account *merchant = &call->accounts[0], *ban_record = &call->accounts[1], *mint = &call->accounts[3];
  const Account *vault = &call->accounts[5], *escrow = &call->accounts[6], *tokens = &call->accounts[7];
  const Account *token_program = &call->accounts[8];
  const u8 *reservation = arguments(call);
  const u64 amount = load_u64(reservation + 8);
  const i64 timeout = load_i64(reservation + 16);
  u8 bump, tokens_bump;
  const Slice seeds[3] = {TEXT("trade_escrow"), SLICE(reservation, 8), SLICE(&bump, 1)};
  const Slice tokens_seeds[3] = {TEXT("trade_escrow_tokens"), SLICE(reservation, 8), SLICE(&tokens_bump, 1)};
  TRY(expect_ban_record(ban_record, merchant->key));
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  TRY(expect_fee_config(call, &call->accounts[4]));
  TRY(expect_vault_of(call, vault, merchant->key, mint->key));
  TRY(expect_key(&call->accounts[9], SYSTEM_PROGRAM));
  TRY(expect_key(&call->accounts[10], RENT_SYSVAR));
  TRY(find_bump(escrow->key, call->program, seeds, 2, &bump));
  TRY(find_bump(tokens->key, call->program, tokens_seeds, 2, &tokens_bump));
  TRY(refuse_banned(ban_record));
  REQUIRE(allows_settlement_in(&call->accounts[4], mint->key), SETTLEMENT_MINT_NOT_ALLOWED);
  REQUIRE(timeout > 0, INVALID_TIMEOUT);
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  REQUIRE(load_u64(vault->data + VAULT_RESERVED) >= amount, INSUFFICIENT_RESERVED_LIQUIDITY);
  const i64 timeout_at = (i64)((u64)call->now + (u64)timeout);
  REQUIRE(timeout_at > call->now, OVERFLOW);

  const NewAccount new = {merchant, escrow, call->program, ESCROW_BYTES, {seeds, 3}};
  TRY(create_account(&new));
  const NewTokenAccount new_tokens = {merchant, tokens, mint, token_program, escrow->key, {tokens_seeds, 3}};
  TRY(create_token_account(&new_tokens));
  u8 *data = escrow->data;
  store_u64(data, ESCROW_KIND);
  copy(data + ESCROW_RESERVATION_ID, reservation, 8);
  copy(data + ESCROW_BUYER, call->accounts[2].key, 32);
  copy(data + ESCROW_SELLER, merchant->key, 32);
  copy(data + ESCROW_MINT, mint->key, 32);
  store_u64(data + ESCROW_AMOUNT, amount);
  data[ESCROW_STATE] = RESERVED;
  store_i64(data + ESCROW_CREATED_AT, call->now);
  store_i64(data + ESCROW_TIMEOUT_AT, timeout_at);
  data[ESCROW_BUMP] = bump;
  data[ESCROW_TOKENS_BUMP] = tokens_bump;
  return SUCCESS;
}

/* fund_trade_escrow: merchant, mint, vault, its tokens, escrow, its tokens, token program. */
static u64 fund_trade_escrow(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "srwwwwr"));
  const Account *merchant = &call->accounts[0];
  const Trade trade = {
    .mint = &call->accounts[1], .vault = &call->accounts[2], .vault_tokens = &call->accounts[3],
    .escrow = &call->accounts[4], .escrow_tokens = &call->accounts[5], .token_program = &call->accounts[6],
  };
  TRY(expect_trade(call, &trade));
  TRY(expect_vault_tokens(call, trade.vault, trade.vault_tokens));
  REQUIRE(keys_equal(trade.escrow->data + ESCROW_SELLER, merchant->key), UNAUTHORIZED);
  REQUIRE(escrow_state(trade.escrow) == RESERVED, INVALID_VAULT_STATE);
  const u64 amount = escrow_amount(trade.escrow);
  TRY(book_take(trade.vault, VAULT_RESERVED, amount, INSUFFICIENT_RESERVED_LIQUIDITY));
  TRY(book_add(trade.vault, VAULT_PENDING, amount));
  trade.escrow->data[ESCROW_STATE] = AWAITING_FIAT_SETTLEMENT;

  Slice seeds[4];
  const Signer signer = vault_signer(trade.vault, seeds);
  const Transfer transfer = {
    trade.token_program, trade.mint, trade.vault_tokens, trade.escrow_tokens, trade.vault, amount, signer,
  };
  return transfer_tokens(&transfer);
}

/* approve_settlement: merchant, escrow. The seller says that the payment arrived; saying it again changes nothing. */
static u64 approve_settlement(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "sw"));
  const Account *escrow = &call->accounts[1];
  TRY(expect_escrow(call, escrow));
  REQUIRE(keys_equal(escrow->data + ESCROW_SELLER, call->accounts[0].key), UNAUTHORIZED);
  REQUIRE(escrow_state(escrow) == AWAITING_FIAT_SETTLEMENT, INVALID_VAULT_STATE);
  escrow->data[ESCROW_APPROVED] = 1;
  return SUCCESS;
}

/* Pays the buyer the amount less the fee, and the fee to the four treasuries; logs EscrowReleased. D.5, D.7. */
static u64 release_to_buyer(const Call *call, const Trade *trade, u8 via_dispute) {
  const u64 amount = escrow_amount(trade->escrow);
  FeeSplit split;
  split_settlement_fee(&split, trade->fee_config, amount);
  const u64 buyer_amount = amount - split.fee;
  TRY(book_take(trade->vault, VAULT_PENDING, amount, OVERFLOW));
  TRY(book_add(trade->vault, VAULT_SETTLED, amount));
  trade->escrow->data[ESCROW_STATE] = RELEASED;
  TRY(pay_from_escrow(trade, trade->buyer_tokens, buyer_amount));
  for (u64 index = 0; index < TREASURY_COUNT; index++) {
    TRY(pay_from_escrow(trade, &trade->treasuries[index], split.parts[index]));
  }
  Event event;
  begin_event(&event, EVENT_ESCROW_RELEASED);
  put_u64(&event, load_u64(trade->escrow->data + ESCROW_RESERVATION_ID));
  put_key(&event, trade->escrow->data + ESCROW_BUYER);
  put_key(&event, trade->escrow->data + ESCROW_SELLER);
  put_key(&event, trade->mint->key);
  put_u64(&event, amount);
  put_u64(&event, buyer_amount);
  put_u64(&event, split.fee);
  for (u64 index = 0; index < TREASURY_COUNT; index++) put_u64(&event, split.parts[index]);
  put_u8(&event, via_dispute);
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}

/* release_escrow: mint, vault, escrow, its tokens, buyer's tokens, fee_config, 4 treasuries, token program. */
static u64 release_escrow(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "rwwwwrwwwwr"));
  const Trade trade = {
    .mint = &call->accounts[0], .vault = &call->accounts[1], .escrow = &call->accounts[2],
    .escrow_tokens = &call->accounts[3], .buyer_tokens = &call->accounts[4], .fee_config = &call->accounts[5],
    .treasuries = &call->accounts[6], .token_program = &call->accounts[10],
  };
  TRY(expect_trade(call, &trade));
  TRY(expect_payees(call, &trade));
  REQUIRE(escrow_state(trade.escrow) == AWAITING_FIAT_SETTLEMENT, INVALID_VAULT_STATE);
  REQUIRE(trade.escrow->data[ESCROW_APPROVED] == 1, INVALID_VAULT_STATE);
  return release_to_buyer(call, &trade, 0);
}

/* Everything in escrow goes back to what the merchant has available. */
static u64 return_to_merchant(const Trade *trade) {
  const u64 amount = escrow_amount(trade->escrow);
  TRY(book_take(trade->vault, VAULT_PENDING, amount, OVERFLOW));
  TRY(book_add(trade->vault, VAULT_AVAILABLE, amount));
  trade->escrow->data[ESCROW_STATE] = CANCELLED;
  return pay_from_escrow(trade, trade->vault_tokens, amount);
}

/* The buyer gets floor(amount / 2), the merchant the rest, nobody a fee. Source: protocol 03 D.7, E10. */
static u64 split_evenly(const Trade *trade) {
  const u64 amount = escrow_amount(trade->escrow);
  const u64 half = amount / 2;
  TRY(book_take(trade->vault, VAULT_PENDING, amount, OVERFLOW));
  TRY(book_add(trade->vault, VAULT_SETTLED, half));
  TRY(book_add(trade->vault, VAULT_AVAILABLE, amount - half));
  trade->escrow->data[ESCROW_STATE] = RELEASED;
  TRY(pay_from_escrow(trade, trade->buyer_tokens, half));
  return pay_from_escrow(trade, trade->vault_tokens, amount - half);
}

/* Ends a trade that nobody approved: a reservation is freed, or the escrow returned. Fails: 6007, 6006. */
static u64 unwind(const Trade *trade) {
  const u8 state = escrow_state(trade->escrow);
  if (state == AWAITING_FIAT_SETTLEMENT) return return_to_merchant(trade);
  const u64 amount = escrow_amount(trade->escrow);
  TRY(book_take(trade->vault, VAULT_RESERVED, amount, INSUFFICIENT_RESERVED_LIQUIDITY));
  TRY(book_add(trade->vault, VAULT_AVAILABLE, amount));
  trade->escrow->data[ESCROW_STATE] = CANCELLED;
  return SUCCESS;
}

/* Reserved, or awaiting payment without approval. Fails: 6007. */
static u64 expect_unwindable(const Account *escrow) {
  const u8 state = escrow_state(escrow);
  REQUIRE(state == RESERVED || state == AWAITING_FIAT_SETTLEMENT, INVALID_VAULT_STATE);
  REQUIRE(escrow->data[ESCROW_APPROVED] == 0, INVALID_VAULT_STATE);
  return SUCCESS;
}

/* The accounts of cancel and expire: mint, vault, escrow, its tokens, vault tokens, token program. */
static u64 expect_unwind_accounts(const Call *call, Trade *trade, u64 first) {
  const Account *accounts = &call->accounts[first];
  *trade = (Trade){
    .mint = &accounts[0], .vault = &accounts[1], .escrow = &accounts[2], .escrow_tokens = &accounts[3],
    .vault_tokens = &accounts[4], .token_program = &accounts[5],
  };
  TRY(expect_trade(call, trade));
  return expect_vault_tokens(call, trade->vault, trade->vault_tokens);
}

/* cancel_reservation: party, then the unwind accounts. Either party, while nothing is approved. Fails: 6009, 6007. */
static u64 cancel_reservation(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "srwwwwr"));
  Trade trade;
  TRY(expect_unwind_accounts(call, &trade, 1));
  const u8 *party = call->accounts[0].key;
  const int buyer = keys_equal(trade.escrow->data + ESCROW_BUYER, party);
  const int seller = keys_equal(trade.escrow->data + ESCROW_SELLER, party);
  REQUIRE(buyer || seller, NOT_A_PARTY_TO_THIS_TRADE);
  TRY(expect_unwindable(trade.escrow));
  return unwind(&trade);
}

/* expire_reservation: the unwind accounts. Anyone, after the time-out. Fails: 6007, 6008. */
static u64 expire_reservation(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "rwwwwr"));
  Trade trade;
  TRY(expect_unwind_accounts(call, &trade, 0));
  TRY(expect_unwindable(trade.escrow));
  REQUIRE(call->now > load_i64(trade.escrow->data + ESCROW_TIMEOUT_AT), NOT_YET_EXPIRED);
  return unwind(&trade);
}
