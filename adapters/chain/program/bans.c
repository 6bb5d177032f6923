/*
 * Ban records: the governance program lists wallets that may not trade or stake; here they are only read.
 * Source: protocol 03 D.2, D.3.
 */
#define BAN_RECORD_BYTES 114
#define BAN_RECORD_KIND NAMED(0x8eb2cf554bcff895)

/* Refuses an account that is not the ban record's address of `wallet`. */
static u64 expect_ban_record(const Account *record, const u8 *wallet) {
  u8 bump;
  const Slice seeds[2] = {TEXT("ban"), SLICE(wallet, 32)};
  return find_bump(record->key, GOVERNANCE_PROGRAM, seeds, 2, &bump);
}

/* The record's existence is the ban. Source: protocol 03 D.3. */
static u64 refuse_banned(const Account *record) {
  REQUIRE(expect_kind(record, GOVERNANCE_PROGRAM, BAN_RECORD_BYTES, BAN_RECORD_KIND) != SUCCESS, WALLET_BANNED);
  return SUCCESS;
}
