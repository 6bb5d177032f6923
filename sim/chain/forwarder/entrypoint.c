/*
 * A program that passes on what it is given: its first account is the program to call, the rest are that program's
 * accounts with the rights they came with, and the data is its data. Simulations and tests call the escrow program
 * through it, as anybody's program may. Source: protocol 03 A.10.3 R3 (inner instructions).
 */
typedef unsigned char u8;
typedef unsigned long long u64;

#define ACCOUNTS_MAX 32
/* What the chain leaves free behind an account's data. */
#define ACCOUNT_GROWTH_BYTES 10240
/* The runtime's NotEnoughAccountKeys and InvalidArgument. */
#define NOT_ENOUGH_ACCOUNT_KEYS (11ULL << 32)
#define INVALID_ARGUMENT (2ULL << 32)

typedef struct {
  const u8 *key;
  u8 writable;
  u8 signer;
} AccountMeta;

typedef struct {
  const u8 *program;
  AccountMeta *accounts;
  u64 account_count;
  const u8 *data;
  u64 length;
} Instruction;

typedef struct {
  u8 *key;
  u64 *lamports;
  u64 length;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 signer;
  u8 writable;
  u8 executable;
} AccountInfo;

extern u64 sol_invoke_signed_c(
  const Instruction *instruction, const AccountInfo *accounts, int account_count, const void *signers, int signer_count
);

/* Reads one account and returns where the next begins; a repeated one is its first mention. */
static u8 *read_account(AccountInfo *infos, u64 index, u8 *at) {
  AccountInfo *info = &infos[index];
  if (at[0] != 0xff) {
    *info = infos[at[0]];
    return at + 8;
  }
  info->signer = at[1];
  info->writable = at[2];
  info->executable = at[3];
  info->key = at + 8;
  info->owner = at + 40;
  info->lamports = (u64 *)(at + 72);
  info->length = *(u64 *)(at + 80);
  info->data = at + 88;
  u8 *end = (u8 *)(((u64)info->data + info->length + ACCOUNT_GROWTH_BYTES + 7) & ~7ULL);
  info->rent_epoch = *(u64 *)end;
  return end + 8;
}

u64 entrypoint(u8 *input) {
  AccountInfo infos[ACCOUNTS_MAX];
  AccountMeta metas[ACCOUNTS_MAX];
  const u64 count = *(u64 *)input;
  if (count == 0) return NOT_ENOUGH_ACCOUNT_KEYS;
  if (count > ACCOUNTS_MAX) return INVALID_ARGUMENT;
  u8 *at = input + 8;
  for (u64 index = 0; index < count; index++) at = read_account(infos, index, at);
  for (u64 index = 1; index < count; index++) {
    metas[index].key = infos[index].key;
    metas[index].writable = infos[index].writable;
    metas[index].signer = infos[index].signer;
  }
  const Instruction instruction = {infos[0].key, metas + 1, count - 1, at + 8, *(u64 *)at};
  return sol_invoke_signed_c(&instruction, infos, (int)count, 0, 0);
}
