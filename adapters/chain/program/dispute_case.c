/*
 * The dispute case: its fixed fields, its variable part in memory, and who may not sit on it.
 * Source: protocol 03 D.3 (layout), D.8; the buyer's mark is ours (README, "Parties as arbitrators").
 */
#define CASE_BYTES 1241
#define CASE_KIND NAMED(0xa4c836ef5e4c3382)
#define CASE_RESERVATION_ID 8
#define CASE_TRADE_ESCROW 16
#define CASE_OPENED_AT 48
#define CASE_COMMIT_DEADLINE 56
#define CASE_REVEAL_DEADLINE 64
#define CASE_RESOLVED 72
#define CASE_ROUND 73
#define CASE_COMMIT_WINDOW 74
#define CASE_REVEAL_WINDOW 82
#define CASE_SEED 90
#define CASE_ROUND_OPENED_AT 122
#define CASE_VARIABLE 130
/* Fields reach this far only once a full third round reveals its votes: no seat is taken after that. */
#define CASE_BUYER_MARK 1225
#define BUYER_MARK_BYTES 16

#define SEATS_MAX 7
#define BARRED_MAX 14
#define ROUNDS_MAX 3
#define COUNTED_VOTES_MIN 3
/* An absent Option<u8>. Outcomes and reasons are small numbers. */
#define NONE 0xff

enum { BUYER_WINS = 0, MERCHANT_WINS = 1, MUTUAL_SETTLEMENT = 2, INVALID_DISPUTE = 3 };
enum { NO_CONSENSUS = 0, QUORUM_NOT_REACHED = 1, ROUND_UNSTAFFED = 2, POOL_EXHAUSTED = 3 };

/* The variable part of a case, in the order of its bytes. */
typedef struct {
  u64 seats;
  u64 claims;
  u64 barred_count;
  u8 arbitrators[SEATS_MAX][32];
  u8 commitments[SEATS_MAX][32];
  u8 revealed[SEATS_MAX];
  u64 weights[SEATS_MAX];
  u8 claimed[SEATS_MAX];
  u8 barred[BARRED_MAX][32];
  u8 deposit_vault[32];
  u8 deposit_mint[32];
  u64 deposit;
  u64 deposit_shortfall;
  u8 outcome;
  u64 winning_weight;
  u64 reward_pool;
  u64 reward_remaining;
  u8 deposit_settled;
  u8 bump;
  u32 seats_taken_total;
  u8 terminal_reason;
} CaseParts;

/* Where reading or writing stands in an account's bytes. */
typedef struct {
  u8 *at;
  u8 *end;
} Cursor;

static u64 read_bytes(Cursor *cursor, void *to, u64 length) {
  REQUIRE((u64)(cursor->end - cursor->at) >= length, INVALID_ACCOUNT);
  copy(to, cursor->at, length);
  cursor->at += length;
  return SUCCESS;
}

static u64 read_count(Cursor *cursor, u64 *count, u64 max) {
  u8 bytes[4];
  TRY(read_bytes(cursor, bytes, 4));
  *count = load_u32(bytes);
  REQUIRE(*count <= max, INVALID_ACCOUNT);
  return SUCCESS;
}

static u64 read_word(Cursor *cursor, u64 *value) {
  u8 bytes[8];
  TRY(read_bytes(cursor, bytes, 8));
  *value = load_u64(bytes);
  return SUCCESS;
}

static u64 read_option(Cursor *cursor, u8 *value) {
  u8 presence;
  TRY(read_bytes(cursor, &presence, 1));
  REQUIRE(presence <= 1, INVALID_ACCOUNT);
  *value = NONE;
  return presence == 0 ? SUCCESS : read_bytes(cursor, value, 1);
}

/* The per-seat vectors; all but reward_claimed have one entry a seat. */
static u64 read_seats(Cursor *cursor, CaseParts *parts) {
  u64 count;
  TRY(read_count(cursor, &parts->seats, SEATS_MAX));
  TRY(read_bytes(cursor, parts->arbitrators, 32 * parts->seats));
  TRY(read_count(cursor, &count, SEATS_MAX));
  REQUIRE(count == parts->seats, INVALID_ACCOUNT);
  TRY(read_bytes(cursor, parts->commitments, 32 * count));
  TRY(read_count(cursor, &count, SEATS_MAX));
  REQUIRE(count == parts->seats, INVALID_ACCOUNT);
  for (u64 seat = 0; seat < count; seat++) TRY(read_option(cursor, &parts->revealed[seat]));
  TRY(read_count(cursor, &count, SEATS_MAX));
  REQUIRE(count == parts->seats, INVALID_ACCOUNT);
  for (u64 seat = 0; seat < count; seat++) TRY(read_word(cursor, &parts->weights[seat]));
  TRY(read_count(cursor, &parts->claims, SEATS_MAX));
  return read_bytes(cursor, parts->claimed, parts->claims);
}

/* Reads the variable part, walking and checking every length. */
static __attribute__((noinline)) u64 read_case(const Account *account, CaseParts *parts) {
  Cursor cursor = {account->data + CASE_VARIABLE, account->data + CASE_BYTES};
  u8 total[4];
  TRY(read_seats(&cursor, parts));
  TRY(read_count(&cursor, &parts->barred_count, BARRED_MAX));
  TRY(read_bytes(&cursor, parts->barred, 32 * parts->barred_count));
  TRY(read_bytes(&cursor, parts->deposit_vault, 32));
  TRY(read_bytes(&cursor, parts->deposit_mint, 32));
  TRY(read_word(&cursor, &parts->deposit));
  TRY(read_word(&cursor, &parts->deposit_shortfall));
  TRY(read_option(&cursor, &parts->outcome));
  TRY(read_word(&cursor, &parts->winning_weight));
  TRY(read_word(&cursor, &parts->reward_pool));
  TRY(read_word(&cursor, &parts->reward_remaining));
  TRY(read_bytes(&cursor, &parts->deposit_settled, 1));
  TRY(read_bytes(&cursor, &parts->bump, 1));
  TRY(read_bytes(&cursor, total, 4));
  parts->seats_taken_total = load_u32(total);
  return read_option(&cursor, &parts->terminal_reason);
}

static void write_bytes(Cursor *cursor, const void *from, u64 length) {
  copy(cursor->at, from, length);
  cursor->at += length;
}

static void write_count(Cursor *cursor, u64 count) {
  store_u32(cursor->at, (u32)count);
  cursor->at += 4;
}

static void write_word(Cursor *cursor, u64 value) {
  store_u64(cursor->at, value);
  cursor->at += 8;
}

static void write_byte(Cursor *cursor, u8 value) {
  *cursor->at = value;
  cursor->at += 1;
}

static void write_option(Cursor *cursor, u8 value) {
  write_byte(cursor, value != NONE);
  if (value != NONE) write_byte(cursor, value);
}

static void write_seats(Cursor *cursor, const CaseParts *parts) {
  write_count(cursor, parts->seats);
  write_bytes(cursor, parts->arbitrators, 32 * parts->seats);
  write_count(cursor, parts->seats);
  write_bytes(cursor, parts->commitments, 32 * parts->seats);
  write_count(cursor, parts->seats);
  for (u64 seat = 0; seat < parts->seats; seat++) write_option(cursor, parts->revealed[seat]);
  write_count(cursor, parts->seats);
  for (u64 seat = 0; seat < parts->seats; seat++) write_word(cursor, parts->weights[seat]);
  write_count(cursor, parts->claims);
  write_bytes(cursor, parts->claimed, parts->claims);
}

/*
 * Writes the variable part. What follows it is zero, except the buyer's mark, which stays where it is as long
 * as the fields leave it room. A fixed part and 1,111 bytes hold the longest case: CASE_BYTES is its size.
 */
static __attribute__((noinline)) void write_case(const Account *account, const CaseParts *parts) {
  Cursor cursor = {account->data + CASE_VARIABLE, account->data + CASE_BYTES};
  write_seats(&cursor, parts);
  write_count(&cursor, parts->barred_count);
  write_bytes(&cursor, parts->barred, 32 * parts->barred_count);
  write_bytes(&cursor, parts->deposit_vault, 32);
  write_bytes(&cursor, parts->deposit_mint, 32);
  write_word(&cursor, parts->deposit);
  write_word(&cursor, parts->deposit_shortfall);
  write_option(&cursor, parts->outcome);
  write_word(&cursor, parts->winning_weight);
  write_word(&cursor, parts->reward_pool);
  write_word(&cursor, parts->reward_remaining);
  write_byte(&cursor, parts->deposit_settled);
  write_byte(&cursor, parts->bump);
  write_count(&cursor, parts->seats_taken_total);
  write_option(&cursor, parts->terminal_reason);
  u8 *mark = account->data + CASE_BUYER_MARK;
  u8 *zero_until = cursor.at <= mark ? mark : cursor.end;
  fill(cursor.at, 0, (u64)(zero_until - cursor.at));
}

/* Refuses unless this is the case of its reservation; reads its variable part. */
static u64 expect_case(const Call *call, const Account *account, CaseParts *parts) {
  TRY(expect_kind(account, call->program, CASE_BYTES, CASE_KIND));
  TRY(read_case(account, parts));
  const Slice seeds[3] = {
    TEXT("dispute_case"), SLICE(account->data + CASE_RESERVATION_ID, 8), SLICE(&parts->bump, 1),
  };
  return expect_derived(account->key, call->program, seeds, 3);
}

/* s(`openfiat-dispute-buyer` ‖ case address ‖ buyer), first 16 bytes. Source: DESIGN "Formats". */
static void buyer_mark(const Account *account, const u8 *buyer, u8 digest[32]) {
  const Slice parts[3] = {TEXT("openfiat-dispute-buyer"), SLICE(account->key, 32), SLICE(buyer, 32)};
  sol_sha256(parts, 3, digest);
}

static void write_buyer_mark(const Account *account, const u8 *buyer) {
  u8 digest[32];
  buyer_mark(account, buyer, digest);
  copy(account->data + CASE_BUYER_MARK, digest, BUYER_MARK_BYTES);
}

/*
 * Whether `wallet` is the buyer or the seller of the case's trade. The list of accounts of a commit names
 * neither: the buyer is known by its mark, the seller by the vault that the deposit comes from.
 */
static int is_party(const Call *call, const Account *account, const CaseParts *parts, const u8 *wallet) {
  u8 digest[32], vault[32], bump;
  buyer_mark(account, wallet, digest);
  if (bytes_equal(account->data + CASE_BUYER_MARK, digest, BUYER_MARK_BYTES)) return 1;
  const Slice seeds[3] = {TEXT("liquidity_vault"), SLICE(wallet, 32), SLICE(parts->deposit_mint, 32)};
  if (sol_try_find_program_address(seeds, 3, call->program, vault, &bump) != 0) return 0;
  return keys_equal(vault, parts->deposit_vault);
}

static int is_barred(const CaseParts *parts, const u8 *wallet) {
  for (u64 index = 0; index < parts->barred_count; index++) {
    if (keys_equal(parts->barred[index], wallet)) return 1;
  }
  return 0;
}

/* The seat of `wallet` this round, or `seats` when it has none. */
static u64 seat_of(const CaseParts *parts, const u8 *wallet) {
  u64 seat = 0;
  while (seat < parts->seats && !keys_equal(parts->arbitrators[seat], wallet)) seat++;
  return seat;
}

/*
 * Starts a round now: deadlines from the stored windows, a seed from the newest slot hash.
 * case_seed = s(`openfiat-dispute-case-seed` ‖ slot-hash entry ‖ reservation u64 ‖ trade escrow). D.8.
 */
static void begin_round(const Call *call, const Account *account, const u8 *slot_hash) {
  u8 *data = account->data;
  const u64 commit_deadline = (u64)call->now + load_u64(data + CASE_COMMIT_WINDOW);
  const Slice parts[4] = {
    TEXT("openfiat-dispute-case-seed"), SLICE(slot_hash, SLOT_HASH_ENTRY_BYTES),
    SLICE(data + CASE_RESERVATION_ID, 8), SLICE(data + CASE_TRADE_ESCROW, 32),
  };
  store_u64(data + CASE_COMMIT_DEADLINE, commit_deadline);
  store_u64(data + CASE_REVEAL_DEADLINE, commit_deadline + load_u64(data + CASE_REVEAL_WINDOW));
  store_i64(data + CASE_ROUND_OPENED_AT, call->now);
  sol_sha256(parts, 4, data + CASE_SEED);
}
