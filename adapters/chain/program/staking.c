/*
 * Arbitrators' stakes. The accounts belong to the staking program; this program only reads them.
 * Source: protocol 03 D.2, D.3 (effective stake), D.8 (seat draw).
 */
#define STAKING_CONFIG_BYTES 285
#define STAKING_CONFIG_KIND NAMED(0x2d86fc5225395419)
#define STAKING_CONFIG_MINIMUMS 72
#define STAKE_BYTES 90
#define STAKE_KIND NAMED(0x509e437c32bdc0ff)
#define STAKE_OWNER 8
#define STAKE_AMOUNT 41
#define STAKE_FIRST_STAKED_AT 82
#define STAKE_RECOVERY_RECEIPT_BYTES 53
#define STAKE_RECOVERY_RECEIPT_KIND NAMED(0x4a394af1d650bb6c)
#define STAKE_RECOVERY_RECEIPT_TOTAL 40

static const u8 ROLE_ARBITRATOR = 1;

extern u64 sol_sha256(const Slice *parts, u64 count, u8 *digest);

static u64 expect_staking_config(const Account *config) {
  u8 bump;
  const Slice seeds[1] = {TEXT("staking_config")};
  TRY(expect_kind(config, STAKING_PROGRAM, STAKING_CONFIG_BYTES, STAKING_CONFIG_KIND));
  return find_bump(config->key, STAKING_PROGRAM, seeds, 1, &bump);
}

/* The arbitrator stake of `owner`; the account may be unused, which is a stake of 0. */
static u64 expect_arbitrator_stake(const Account *stake, const u8 *owner) {
  u8 bump;
  const Slice seeds[3] = {TEXT("stake"), SLICE(owner, 32), SLICE(&ROLE_ARBITRATOR, 1)};
  TRY(find_bump(stake->key, STAKING_PROGRAM, seeds, 3, &bump));
  if (is_unused(stake)) return SUCCESS;
  return expect_kind(stake, STAKING_PROGRAM, STAKE_BYTES, STAKE_KIND);
}

static u64 arbitrator_minimum(const Account *config) {
  return load_u64(config->data + STAKING_CONFIG_MINIMUMS + 8 * ROLE_ARBITRATOR);
}

/* The staked amount where it reaches the role's minimum, else 0. Source: protocol 03 D.3. */
static u64 effective_stake(const Account *config, const Account *stake) {
  const u64 amount = is_unused(stake) ? 0 : load_u64(stake->data + STAKE_AMOUNT);
  return amount >= arbitrator_minimum(config) ? amount : 0;
}

/* Seconds since the stake began; a start ahead of the clock counts as negative. */
static i64 stake_age(const Account *stake, i64 now) {
  return is_unused(stake) ? 0 : (i64)((u64)now - load_u64(stake->data + STAKE_FIRST_STAKED_AT));
}
