/*
 * Liquidity vaults: a merchant's tokens of one mint, and the book of what they are promised to.
 * Holds for every vault: total = reserved + available + settled + pending_settlement. Tokens under the vault
 * are reserved + available; pending ones lie in trade escrows, settled ones have left.
 * Source: protocol 03 D.2, D.3, D.4, D.7.
 */
#define VAULT_BYTES 114
#define VAULT_KIND NAMED(0xdda6342e0daeb563)
#define VAULT_MERCHANT 8
#define VAULT_MINT 40
#define VAULT_TOTAL 72
#define VAULT_RESERVED 80
#define VAULT_AVAILABLE 88
#define VAULT_SETTLED 96
#define VAULT_PENDING 104
#define VAULT_BUMP 112
#define VAULT_TOKENS_BUMP 113

/* Refuses unless this is a vault of this program at its own address. */
static u64 expect_vault(const Call *call, const Account *vault) {
  TRY(expect_kind(vault, call->program, VAULT_BYTES, VAULT_KIND));
  const Slice seeds[4] = {
    TEXT("liquidity_vault"), SLICE(vault->data + VAULT_MERCHANT, 32), SLICE(vault->data + VAULT_MINT, 32),
    SLICE(vault->data + VAULT_BUMP, 1),
  };
  return expect_derived(vault->key, call->program, seeds, 4);
}

/* Refuses unless this is the vault of `merchant` for `mint`. */
static u64 expect_vault_of(const Call *call, const Account *vault, const u8 *merchant, const u8 *mint) {
  TRY(expect_vault(call, vault));
  REQUIRE(keys_equal(vault->data + VAULT_MERCHANT, merchant), INVALID_ACCOUNT);
  REQUIRE(keys_equal(vault->data + VAULT_MINT, mint), INVALID_ACCOUNT);
  return SUCCESS;
}

/* Refuses unless `tokens` is the token account of a vault that was checked before. */
static u64 expect_vault_tokens(const Call *call, const Account *vault, const Account *tokens) {
  const Slice seeds[4] = {
    TEXT("liquidity_vault_tokens"), SLICE(vault->data + VAULT_MERCHANT, 32), SLICE(vault->data + VAULT_MINT, 32),
    SLICE(vault->data + VAULT_TOKENS_BUMP, 1),
  };
  return expect_derived(tokens->key, call->program, seeds, 4);
}

/* The vault's signature: it commands its token account. */
static Signer vault_signer(const Account *vault, Slice seeds[4]) {
  seeds[0] = TEXT("liquidity_vault");
  seeds[1] = SLICE(vault->data + VAULT_MERCHANT, 32);
  seeds[2] = SLICE(vault->data + VAULT_MINT, 32);
  seeds[3] = SLICE(vault->data + VAULT_BUMP, 1);
  return (Signer){seeds, 4};
}

/* Adds to one figure of the book. Fails: 6027. */
static u64 book_add(const Account *vault, u64 figure, u64 amount) {
  const u64 before = load_u64(vault->data + figure);
  REQUIRE(before + amount >= before, OVERFLOW);
  store_u64(vault->data + figure, before + amount);
  return SUCCESS;
}

/* Takes from one figure of the book. Fails with `error` when it holds less. */
static u64 book_take(const Account *vault, u64 figure, u64 amount, u64 error) {
  const u64 before = load_u64(vault->data + figure);
  REQUIRE(before >= amount, error);
  store_u64(vault->data + figure, before - amount);
  return SUCCESS;
}

/*
 * Settlement mints may have vaults; so may the OPEN mint, for dispute deposits, once there is a pool to pay
 * them into. Fails: 6035, 6039.
 */
static u64 expect_vault_mint(const Account *mint, const Account *fee_config, const Account *pool) {
  if (keys_equal(mint->key, OPEN_MINT)) return expect_live_pool(pool);
  REQUIRE(allows_settlement_in(fee_config, mint->key), SETTLEMENT_MINT_NOT_ALLOWED);
  return SUCCESS;
}

/* create_liquidity_vault: merchant, mint, fee_config, pool, vault, its tokens, token program, system, rent. */
static u64 create_liquidity_vault(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "brrrwwrrr"));
  const Account *merchant = &call->accounts[0], *mint = &call->accounts[1], *fee_config = &call->accounts[2];
  const Account *vault = &call->accounts[4], *tokens = &call->accounts[5], *token_program = &call->accounts[6];
  u8 bump, tokens_bump, pool_bump;
  const Slice seeds[4] = {
    TEXT("liquidity_vault"), SLICE(merchant->key, 32), SLICE(mint->key, 32), SLICE(&bump, 1),
  };
  const Slice tokens_seeds[4] = {
    TEXT("liquidity_vault_tokens"), SLICE(merchant->key, 32), SLICE(mint->key, 32), SLICE(&tokens_bump, 1),
  };
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_key(&call->accounts[7], SYSTEM_PROGRAM));
  TRY(expect_key(&call->accounts[8], RENT_SYSVAR));
  TRY(find_bump(vault->key, call->program, seeds, 3, &bump));
  TRY(find_bump(tokens->key, call->program, tokens_seeds, 3, &tokens_bump));
  TRY(find_arbitration_pool(call, &call->accounts[3], &pool_bump));
  TRY(expect_vault_mint(mint, fee_config, &call->accounts[3]));

  const NewAccount new = {merchant, vault, call->program, VAULT_BYTES, {seeds, 4}};
  TRY(create_account(&new));
  const NewTokenAccount new_tokens = {merchant, tokens, mint, token_program, vault->key, {tokens_seeds, 4}};
  TRY(create_token_account(&new_tokens));
  store_u64(vault->data, VAULT_KIND);
  copy(vault->data + VAULT_MERCHANT, merchant->key, 32);
  copy(vault->data + VAULT_MINT, mint->key, 32);
  vault->data[VAULT_BUMP] = bump;
  vault->data[VAULT_TOKENS_BUMP] = tokens_bump;
  return SUCCESS;
}

/* deposit_liquidity(amount): merchant, ban_record, vault, its tokens, from, mint, token program. */
static u64 deposit_liquidity(const Call *call) {
  TRY(expect_arguments(call, 8));
  TRY(expect_accounts(call, "srwwwrr"));
  const Account *merchant = &call->accounts[0], *ban_record = &call->accounts[1], *vault = &call->accounts[2];
  const Account *tokens = &call->accounts[3], *from = &call->accounts[4], *mint = &call->accounts[5];
  const Account *token_program = &call->accounts[6];
  const u64 amount = load_u64(arguments(call));
  TRY(expect_ban_record(ban_record, merchant->key));
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  TRY(expect_vault_of(call, vault, merchant->key, mint->key));
  TRY(expect_vault_tokens(call, vault, tokens));
  TRY(expect_token_account(from, token_program, mint->key));
  TRY(refuse_banned(ban_record));
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  TRY(book_add(vault, VAULT_TOTAL, amount));
  TRY(book_add(vault, VAULT_AVAILABLE, amount));

  const Transfer transfer = {token_program, mint, from, tokens, merchant, amount, NO_SIGNER};
  return transfer_tokens(&transfer);
}

/* reserve_liquidity(amount): merchant, ban_record, vault, fee_config. Available turns into reserved. */
static u64 reserve_liquidity(const Call *call) {
  TRY(expect_arguments(call, 8));
  TRY(expect_accounts(call, "srwr"));
  const Account *merchant = &call->accounts[0], *ban_record = &call->accounts[1], *vault = &call->accounts[2];
  const Account *fee_config = &call->accounts[3];
  const u64 amount = load_u64(arguments(call));
  TRY(expect_ban_record(ban_record, merchant->key));
  TRY(expect_vault(call, vault));
  TRY(expect_key(merchant, vault->data + VAULT_MERCHANT));
  TRY(expect_fee_config(call, fee_config));
  TRY(refuse_banned(ban_record));
  REQUIRE(allows_settlement_in(fee_config, vault->data + VAULT_MINT), SETTLEMENT_MINT_NOT_ALLOWED);
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  TRY(book_take(vault, VAULT_AVAILABLE, amount, INSUFFICIENT_AVAILABLE_LIQUIDITY));
  return book_add(vault, VAULT_RESERVED, amount);
}

/* withdraw_liquidity(amount): merchant, vault, its tokens, to, mint, token program. Only what is available leaves. */
static u64 withdraw_liquidity(const Call *call) {
  TRY(expect_arguments(call, 8));
  TRY(expect_accounts(call, "swwwrr"));
  const Account *merchant = &call->accounts[0], *vault = &call->accounts[1], *tokens = &call->accounts[2];
  const Account *to = &call->accounts[3], *mint = &call->accounts[4], *token_program = &call->accounts[5];
  const u64 amount = load_u64(arguments(call));
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  TRY(expect_vault_of(call, vault, merchant->key, mint->key));
  TRY(expect_vault_tokens(call, vault, tokens));
  TRY(expect_token_account(to, token_program, mint->key));
  REQUIRE(!keys_equal(to->key, tokens->key), INVALID_ACCOUNT);
  REQUIRE(amount > 0, INVALID_INSTRUCTION_DATA);
  TRY(book_take(vault, VAULT_AVAILABLE, amount, INSUFFICIENT_AVAILABLE_LIQUIDITY));
  TRY(book_take(vault, VAULT_TOTAL, amount, OVERFLOW));

  Slice seeds[4];
  const Transfer transfer = {token_program, mint, tokens, to, vault, amount, vault_signer(vault, seeds)};
  return transfer_tokens(&transfer);
}
