/*
 * Whose stake, in which role, under which configuration; and where all stakes lie.
 * Source: protocol 03 D.2 (seeds), D.3 (layouts); stakes as the escrow program reads them: program/staking.c.
 */
#define STAKE_ROLE 40
#define STAKE_UNBONDING_AMOUNT 49
#define STAKE_UNBONDING_RELEASE_AT 57
#define STAKE_SLASHED_TOTAL 65
#define STAKE_BUMP 81
#define STAKING_CONFIG_MINT 40
#define STAKING_CONFIG_UNBONDING_SECS 128
#define STAKING_CONFIG_SLASH_BPS 184
#define STAKING_CONFIG_SLASHING_AUTHORITY 186
#define STAKING_CONFIG_SLASH_DESTINATION 218
#define STAKING_CONFIG_BUMP 282
#define STAKING_CONFIG_VAULT_BUMP 283

#define ROLE_COUNT 7

/* Refuses unless this is a stake at its own address. */
static u64 expect_stake(const Account *stake) {
  TRY(expect_kind(stake, STAKING_PROGRAM, STAKE_BYTES, STAKE_KIND));
  REQUIRE(stake->data[STAKE_ROLE] < ROLE_COUNT, INVALID_ACCOUNT);
  const Slice seeds[4] = {
    TEXT("stake"), SLICE(stake->data + STAKE_OWNER, 32), SLICE(stake->data + STAKE_ROLE, 1),
    SLICE(stake->data + STAKE_BUMP, 1),
  };
  return expect_derived(stake->key, STAKING_PROGRAM, seeds, 4);
}

static u64 expect_stake_of(const Account *stake, const u8 *owner) {
  TRY(expect_stake(stake));
  REQUIRE(keys_equal(stake->data + STAKE_OWNER, owner), INVALID_ACCOUNT);
  return SUCCESS;
}

/* The mint that is staked, under the token program that owns it. */
static u64 expect_staked_mint(const Account *mint, const Account *config, const Account *token_program) {
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  return expect_key(mint, config->data + STAKING_CONFIG_MINT);
}

/* The tokens of all stakes, commanded by the configuration, which names their mint. */
static u64 expect_stake_vault(const Account *vault, const Account *config, const Account *token_program) {
  const Slice seeds[2] = {TEXT("stake_vault"), SLICE(config->data + STAKING_CONFIG_VAULT_BUMP, 1)};
  TRY(expect_derived(vault->key, STAKING_PROGRAM, seeds, 2));
  return expect_tokens_of(vault, token_program, config->data + STAKING_CONFIG_MINT, config->key);
}

/* The configuration's signature. */
static Signer config_signer(const Account *config, Slice seeds[2]) {
  seeds[0] = TEXT("staking_config");
  seeds[1] = SLICE(config->data + STAKING_CONFIG_BUMP, 1);
  return (Signer){seeds, 2};
}

static u64 minimum_of(const Account *config, const Account *stake) {
  return load_u64(config->data + STAKING_CONFIG_MINIMUMS + 8 * (u64)stake->data[STAKE_ROLE]);
}

/* Adds to one figure of a stake. Fails: 6027. */
static u64 add_to(const Account *stake, u64 figure, u64 amount) {
  const u64 before = load_u64(stake->data + figure);
  REQUIRE(before + amount >= before, OVERFLOW);
  store_u64(stake->data + figure, before + amount);
  return SUCCESS;
}

static void take_from(const Account *stake, u64 figure, u64 amount) {
  store_u64(stake->data + figure, load_u64(stake->data + figure) - amount);
}
