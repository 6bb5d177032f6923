/*
 * The fee configuration: what a settlement costs, who receives it, which mints may settle.
 * One account per program; its admin alone changes it. Source: protocol 03 D.3, D.4, D.7.
 */
#define FEE_CONFIG_BYTES 726
#define FEE_CONFIG_KIND NAMED(0x8f3492bbdb7b4c9b)
#define FEE_CONFIG_ADMIN 8
#define FEE_CONFIG_AD_LISTING_FEE 40
#define FEE_CONFIG_DISPUTE_FILING_FEE 48
#define FEE_CONFIG_SETTLEMENT_FEE_BPS 56
#define FEE_CONFIG_TREASURIES 58
#define FEE_CONFIG_SHARES_BPS 186
#define FEE_CONFIG_TIMEOUT_SECS 194
#define FEE_CONFIG_BUMP 202
#define FEE_CONFIG_STAKE_AGE_SECS 203
#define FEE_CONFIG_SORTITION_BPS 211
#define FEE_CONFIG_MINTS 213
#define FEE_CONFIG_MINT_COUNT 725

#define TREASURY_COUNT 4
#define ECOSYSTEM 1
#define SETTLEMENT_MINTS_MAX 16

static u64 expect_fee_config(const Call *call, const Account *account) {
  TRY(expect_kind(account, call->program, FEE_CONFIG_BYTES, FEE_CONFIG_KIND));
  const Slice seeds[2] = {TEXT("fee_config"), SLICE(account->data + FEE_CONFIG_BUMP, 1)};
  return expect_derived(account->key, call->program, seeds, 2);
}

/* The fee configuration's signature: it commands the arbitration pool. Source: protocol 03 D.2. */
static Signer fee_config_signer(const Account *account, Slice seeds[2]) {
  seeds[0] = TEXT("fee_config");
  seeds[1] = SLICE(account->data + FEE_CONFIG_BUMP, 1);
  return (Signer){seeds, 2};
}

static int allows_settlement_in(const Account *fee_config, const u8 *mint) {
  const u64 count = fee_config->data[FEE_CONFIG_MINT_COUNT];
  for (u64 index = 0; index < count && index < SETTLEMENT_MINTS_MAX; index++) {
    if (keys_equal(fee_config->data + FEE_CONFIG_MINTS + 32 * index, mint)) return 1;
  }
  return 0;
}

/* A fee and its four parts; what rounding leaves goes to the ecosystem. Source: protocol 03 D.7. */
typedef struct {
  u64 fee;
  u64 parts[TREASURY_COUNT];
} FeeSplit;

static void split_shares(FeeSplit *split, const Account *fee_config, u64 fee) {
  u64 left = fee;
  split->fee = fee;
  for (u64 index = 0; index < TREASURY_COUNT; index++) {
    split->parts[index] = share_of(fee, load_u16(fee_config->data + FEE_CONFIG_SHARES_BPS + 2 * index));
    left -= split->parts[index];
  }
  split->parts[ECOSYSTEM] += left;
}

static void split_settlement_fee(FeeSplit *split, const Account *fee_config, u64 amount) {
  const u64 fee_bps = load_u16(fee_config->data + FEE_CONFIG_SETTLEMENT_FEE_BPS);
  split_shares(split, fee_config, share_of(amount, fee_bps));
}

/*
 * Refuses an account that is not treasury `index` for this mint: the token account the configuration names, or
 * one that obeys the wallet it names, so that one configuration serves every mint.
 * Source: protocol 03 D.3; the second half is ours: W-23.
 */
static u64 expect_treasury(const Account *fee_config, u64 index, const Account *account) {
  const u8 *named = fee_config->data + FEE_CONFIG_TREASURIES + 32 * index;
  if (keys_equal(account->key, named)) return SUCCESS;
  REQUIRE(keys_equal(account->data + TOKEN_AUTHORITY, named), INVALID_ACCOUNT);
  return SUCCESS;
}

/* Checks the four accounts that follow each other in every list of protocol 03 D.4. */
static u64 expect_treasuries(
  const Account *fee_config, const Account *treasuries, const Account *mint, const Account *token_program
) {
  for (u64 index = 0; index < TREASURY_COUNT; index++) {
    TRY(expect_token_account(&treasuries[index], token_program, mint->key));
    TRY(expect_treasury(fee_config, index, &treasuries[index]));
  }
  return SUCCESS;
}

/* Fee above the whole: 6003. Parts that are not the whole: 6001. No time at all: 6004. */
static u64 expect_terms(u64 fee_bps, const u8 *shares_bps, i64 timeout_secs) {
  u64 whole = 0;
  for (u64 index = 0; index < TREASURY_COUNT; index++) whole += load_u16(shares_bps + 2 * index);
  REQUIRE(fee_bps <= BPS_WHOLE, INVALID_FEE_BPS);
  REQUIRE(whole == BPS_WHOLE, INVALID_FEE_SPLIT);
  REQUIRE(timeout_secs > 0, INVALID_TIMEOUT);
  return SUCCESS;
}

/*
 * initialize_fee_config. Arguments: 0 ad fee u64, 8 filing fee u64, 16 fee bps u16, 18 treasuries 4 × pk,
 * 146 shares 4 × u16, 154 timeout i64. Whoever comes first is the admin. Stake age and sortition start at 0,
 * the mints are the protocol's defaults. Source: protocol 03 D.1, D.3, D.4, D.8.
 */
static u64 initialize_fee_config(const Call *call) {
  TRY(expect_arguments(call, 162));
  TRY(expect_accounts(call, "bwr"));
  const Account *admin = &call->accounts[0], *fee_config = &call->accounts[1];
  const u8 *terms = arguments(call);
  u8 bump;
  const Slice seeds[2] = {TEXT("fee_config"), SLICE(&bump, 1)};
  TRY(expect_key(&call->accounts[2], SYSTEM_PROGRAM));
  TRY(find_bump(fee_config->key, call->program, seeds, 1, &bump));
  TRY(expect_terms(load_u16(terms + 16), terms + 146, load_i64(terms + 154)));

  const NewAccount new = {admin, fee_config, call->program, FEE_CONFIG_BYTES, {seeds, 2}};
  TRY(create_account(&new));
  u8 *data = fee_config->data;
  store_u64(data, FEE_CONFIG_KIND);
  copy(data + FEE_CONFIG_ADMIN, admin->key, 32);
  copy(data + FEE_CONFIG_AD_LISTING_FEE, terms, 162);
  data[FEE_CONFIG_BUMP] = bump;
  copy(data + FEE_CONFIG_MINTS, DEFAULT_SETTLEMENT_MINTS, sizeof(DEFAULT_SETTLEMENT_MINTS));
  data[FEE_CONFIG_MINT_COUNT] = DEFAULT_SETTLEMENT_MINT_COUNT;
  return SUCCESS;
}

/* Each mint once, none of them empty or OPEN. Fails: 6038, 6036, 6037. */
static u64 expect_settlement_mints(const u8 *mints, u64 count) {
  REQUIRE(count > 0, EMPTY_SETTLEMENT_MINT_LIST);
  REQUIRE(count <= SETTLEMENT_MINTS_MAX, SETTLEMENT_MINT_LIST_FULL);
  for (u64 index = 0; index < count; index++) {
    const u8 *mint = mints + 32 * index;
    REQUIRE(!keys_equal(mint, SYSTEM_PROGRAM) && !keys_equal(mint, OPEN_MINT), INVALID_SETTLEMENT_MINT);
    for (u64 earlier = 0; earlier < index; earlier++) {
      REQUIRE(!keys_equal(mint, mints + 32 * earlier), INVALID_SETTLEMENT_MINT);
    }
  }
  return SUCCESS;
}

/*
 * update_fee_config: admin, fee_config, mint, 4 treasuries. Arguments: 0 ad fee u64, 8 filing fee u64, 16 fee bps
 * u16, 18 shares 4 × u16, 26 timeout i64, 34 stake age i64, 42 sortition u16, 44 mints Vec<pk>.
 * The treasuries must be those in force: this instruction does not move them. Source: protocol 03 D.4, D.6.
 */
static u64 update_fee_config(const Call *call) {
  const u8 *terms = arguments(call);
  REQUIRE(call->length >= 8 + 48, INVALID_INSTRUCTION_DATA);
  const u64 count = load_u32(terms + 44);
  TRY(expect_arguments(call, 48 + 32 * count));
  TRY(expect_accounts(call, "swrrrrr"));
  const Account *fee_config = &call->accounts[1], *mint = &call->accounts[2];
  Account token_program = *mint;
  token_program.key = mint->owner;
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_token_program(&token_program));
  TRY(expect_mint(mint, &token_program));
  TRY(expect_treasuries(fee_config, &call->accounts[3], mint, &token_program));
  u8 *data = fee_config->data;
  REQUIRE(keys_equal(data + FEE_CONFIG_ADMIN, call->accounts[0].key), UNAUTHORIZED);
  TRY(expect_terms(load_u16(terms + 16), terms + 18, load_i64(terms + 26)));
  REQUIRE(load_i64(terms + 34) >= 0, INVALID_STAKE_AGE);
  REQUIRE(load_u16(terms + 42) <= BPS_WHOLE, INVALID_SORTITION_THRESHOLD);
  TRY(expect_settlement_mints(terms + 48, count));

  copy(data + FEE_CONFIG_AD_LISTING_FEE, terms, 18);
  copy(data + FEE_CONFIG_SHARES_BPS, terms + 18, 16);
  copy(data + FEE_CONFIG_STAKE_AGE_SECS, terms + 34, 10);
  fill(data + FEE_CONFIG_MINTS, 0, 32 * SETTLEMENT_MINTS_MAX);
  copy(data + FEE_CONFIG_MINTS, terms + 48, 32 * count);
  data[FEE_CONFIG_MINT_COUNT] = (u8)count;
  return SUCCESS;
}

/* migrate_fee_config: payer, fee_config, system. There is only one layout: 6032. */
static u64 migrate_fee_config(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "bwr"));
  TRY(expect_fee_config(call, &call->accounts[1]));
  TRY(expect_key(&call->accounts[2], SYSTEM_PROGRAM));
  return FEE_CONFIG_ALREADY_MIGRATED;
}
