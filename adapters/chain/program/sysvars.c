/*
 * What the chain says about itself: the clock, the price of storage, the newest slot hash.
 * Source: protocol 03 D.4 (slot hashes), D.8 (time is the chain clock in Unix seconds).
 */
typedef struct {
  u64 slot;
  i64 epoch_started_at;
  u64 epoch;
  u64 leader_schedule_epoch;
  i64 unix_timestamp;
} Clock;

/* `exemption_years` is an IEEE double; only its bits are looked at. */
typedef struct {
  u64 lamports_per_byte_year;
  u64 exemption_years;
  u8 burn_percent;
} Rent;

extern u64 sol_get_clock_sysvar(Clock *clock);
extern u64 sol_get_rent_sysvar(Rent *rent);

#define ONE_YEAR 0x3ff0000000000000ULL
#define TWO_YEARS 0x4000000000000000ULL
/* Bytes the chain bills for an account besides its data. */
#define ACCOUNT_OVERHEAD_BYTES 128
#define SLOT_HASHES_HEADER_BYTES 8
#define SLOT_HASH_ENTRY_BYTES 40

static u64 read_clock(Call *call) {
  Clock clock;
  TRY(sol_get_clock_sysvar(&clock));
  call->now = clock.unix_timestamp;
  return SUCCESS;
}

/* Lamports that keep `bytes` of data stored for good. Clusters ask for one year's price or two. */
static u64 rent_exempt_minimum(u64 bytes, u64 *lamports) {
  Rent rent;
  TRY(sol_get_rent_sysvar(&rent));
  REQUIRE(rent.exemption_years == ONE_YEAR || rent.exemption_years == TWO_YEARS, INVALID_ACCOUNT);
  const u64 years = rent.exemption_years == TWO_YEARS ? 2 : 1;
  *lamports = (ACCOUNT_OVERHEAD_BYTES + bytes) * rent.lamports_per_byte_year * years;
  return SUCCESS;
}

/* Leads `entry` to the newest (slot, hash), 40 bytes. Fails: 6031 when the sysvar is empty. */
static u64 newest_slot_hash(const Account *sysvar, const u8 **entry) {
  REQUIRE(*sysvar->length >= SLOT_HASHES_HEADER_BYTES + SLOT_HASH_ENTRY_BYTES, SLOT_HASHES_UNAVAILABLE);
  REQUIRE(load_u64(sysvar->data) > 0, SLOT_HASHES_UNAVAILABLE);
  *entry = sysvar->data + SLOT_HASHES_HEADER_BYTES;
  return SUCCESS;
}
