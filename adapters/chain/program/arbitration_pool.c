/*
 * The arbitration pool: OPEN tokens that dispute deposits wait in, commanded by the fee configuration; and the
 * policy, which publishes how many arbitrators there are. Source: protocol 03 D.2, D.3, D.4, D.8.
 */
#define POLICY_BYTES 53
#define POLICY_KIND NAMED(0x82893f64d5fc4659)
#define POLICY_ADMIN 8
#define POLICY_ELIGIBLE 40
#define POLICY_UPDATED_AT 44
#define POLICY_BUMP 52

/* Smallest number of arbitrators that can decide every case: 3 votes beside 14 barred. Source: protocol 03 D.8. */
#define MIN_DECIDABLE_POOL 17

static u64 find_arbitration_pool(const Call *call, const Account *pool, u8 *bump) {
  const Slice seeds[1] = {TEXT("arbitration_pool")};
  return find_bump(pool->key, call->program, seeds, 1, bump);
}

static int is_token_program_key(const u8 *key) {
  return keys_equal(key, TOKEN_PROGRAM) || keys_equal(key, TOKEN_2022_PROGRAM);
}

/* The OPEN mint, under whichever token program owns it. */
static u64 expect_open_mint(const Account *mint, const Account *token_program) {
  TRY(expect_token_program(token_program));
  TRY(expect_mint(mint, token_program));
  return expect_key(mint, OPEN_MINT);
}

/* Refuses unless the pool was made. Fails: 6039. */
static u64 expect_live_pool(const Account *pool) {
  REQUIRE(is_token_program_key(pool->owner), ARBITRATION_POOL_NOT_INITIALIZED);
  REQUIRE(*pool->length >= TOKEN_ACCOUNT_BYTES, ARBITRATION_POOL_NOT_INITIALIZED);
  return SUCCESS;
}

/* The OPEN mint, its token program, and the pool at its address, live. Fails: 6039. */
static u64 expect_pool(const Call *call, const Account *pool, const Account *mint, const Account *token_program) {
  u8 bump;
  TRY(find_arbitration_pool(call, pool, &bump));
  TRY(expect_open_mint(mint, token_program));
  TRY(expect_live_pool(pool));
  return expect_token_account(pool, token_program, mint->key);
}

/* Only the admin of the fee configuration. Fails: 6000. */
static u64 expect_admin(const Account *fee_config, const Account *admin) {
  REQUIRE(keys_equal(fee_config->data + FEE_CONFIG_ADMIN, admin->key), UNAUTHORIZED);
  return SUCCESS;
}

/* initialize_arbitration_pool: admin, fee_config, OPEN mint, pool, token program, system. */
static u64 initialize_arbitration_pool(const Call *call) {
  TRY(expect_arguments(call, 0));
  TRY(expect_accounts(call, "brrwrr"));
  const Account *admin = &call->accounts[0], *fee_config = &call->accounts[1], *mint = &call->accounts[2];
  const Account *pool = &call->accounts[3], *token_program = &call->accounts[4];
  u8 bump;
  const Slice seeds[2] = {TEXT("arbitration_pool"), SLICE(&bump, 1)};
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_open_mint(mint, token_program));
  TRY(expect_key(&call->accounts[5], SYSTEM_PROGRAM));
  TRY(find_arbitration_pool(call, pool, &bump));
  TRY(expect_admin(fee_config, admin));

  const NewTokenAccount new = {admin, pool, mint, token_program, fee_config->key, {seeds, 2}};
  return create_token_account(&new);
}

static u64 expect_policy_address(const Call *call, const Account *policy, u8 *bump) {
  const Slice seeds[1] = {TEXT("arbitration_policy")};
  return find_bump(policy->key, call->program, seeds, 1, bump);
}

/* publish_arbitrator_pool_size(eligible u32): admin, fee_config, policy, system. Makes the policy at first use. */
static u64 publish_arbitrator_pool_size(const Call *call) {
  TRY(expect_arguments(call, 4));
  TRY(expect_accounts(call, "brwr"));
  const Account *admin = &call->accounts[0], *fee_config = &call->accounts[1], *policy = &call->accounts[2];
  const u32 eligible = load_u32(arguments(call));
  u8 bump;
  const Slice seeds[2] = {TEXT("arbitration_policy"), SLICE(&bump, 1)};
  TRY(expect_fee_config(call, fee_config));
  TRY(expect_key(&call->accounts[3], SYSTEM_PROGRAM));
  TRY(expect_policy_address(call, policy, &bump));
  const int first = is_unused(policy);
  if (!first) TRY(expect_kind(policy, call->program, POLICY_BYTES, POLICY_KIND));
  TRY(expect_admin(fee_config, admin));

  if (first) {
    const NewAccount new = {admin, policy, call->program, POLICY_BYTES, {seeds, 2}};
    TRY(create_account(&new));
    store_u64(policy->data, POLICY_KIND);
    policy->data[POLICY_BUMP] = bump;
  }
  const u32 previous = load_u32(policy->data + POLICY_ELIGIBLE);
  copy(policy->data + POLICY_ADMIN, admin->key, 32);
  store_u32(policy->data + POLICY_ELIGIBLE, eligible);
  store_i64(policy->data + POLICY_UPDATED_AT, call->now);

  Event event;
  begin_event(&event, EVENT_ARBITRATOR_POOL_SIZE_PUBLISHED);
  put_key(&event, admin->key);
  put_u32(&event, previous);
  put_u32(&event, eligible);
  put_u32(&event, MIN_DECIDABLE_POOL);
  put_i64(&event, call->now);
  emit(&event);
  return SUCCESS;
}

/*
 * How many arbitrators the policy account publishes; 0 when it was never written. It is always named: whoever executes
 * a case may not choose whether another round can be staffed.
 * Fails: 6044 when another account stands in its place. Source: protocol 03 D.8, pool floor.
 */
static u64 published_pool(const Call *call, u64 index, u32 *eligible) {
  *eligible = 0;
  const Account *policy = &call->accounts[index];
  u8 bump;
  REQUIRE(expect_policy_address(call, policy, &bump) == SUCCESS, INVALID_ARBITRATION_POLICY);
  if (is_unused(policy)) return SUCCESS;
  REQUIRE(
    expect_kind(policy, call->program, POLICY_BYTES, POLICY_KIND) == SUCCESS, INVALID_ARBITRATION_POLICY
  );
  *eligible = load_u32(policy->data + POLICY_ELIGIBLE);
  return SUCCESS;
}
