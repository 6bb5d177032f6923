/*
 * Calls to other programs, and the creation of accounts at derived addresses through the system program.
 */
#define INVOKE_ACCOUNTS_MAX 7

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

/* The seeds of one derived address that signs, its bump last; `count` 0 when no derived address signs. */
typedef struct {
  const Slice *seeds;
  u64 count;
} Signer;

extern u64 sol_invoke_signed_c(
  const Instruction *instruction, const AccountInfo *accounts, int account_count, const Signer *signers,
  int signer_count
);

static const Signer NO_SIGNER = {0, 0};

static void describe(AccountInfo *info, const Account *account) {
  info->key = account->key;
  info->lamports = account->lamports;
  info->length = *account->length;
  info->data = account->data;
  info->owner = account->owner;
  info->rent_epoch = account->rent_epoch;
  info->signer = account->signer;
  info->writable = account->writable;
  info->executable = account->executable;
}

/* Calls a program whose accounts are `accounts`, in the order of `instruction`. A failing callee ends the call. */
static u64 invoke(const Instruction *instruction, const Account *const *accounts, const Signer *signer) {
  AccountInfo infos[INVOKE_ACCOUNTS_MAX];
  for (u64 index = 0; index < instruction->account_count; index++) describe(&infos[index], accounts[index]);
  return sol_invoke_signed_c(
    instruction, infos, (int)instruction->account_count, signer, signer->count == 0 ? 0 : 1
  );
}

/* System program instructions, u32 little-endian. */
#define SYSTEM_CREATE_ACCOUNT 0
#define SYSTEM_ASSIGN 1
#define SYSTEM_TRANSFER 2
#define SYSTEM_ALLOCATE 8

/* An account to make: who pays, where, whose, how big; `signer` derives its address. */
typedef struct {
  const Account *payer;
  const Account *account;
  const u8 *owner;
  u64 bytes;
  Signer signer;
} NewAccount;

static u64 system_create(const NewAccount *new, u64 lamports) {
  u8 data[52];
  AccountMeta metas[2] = {{new->payer->key, 1, 1}, {new->account->key, 1, 1}};
  const Account *accounts[2] = {new->payer, new->account};
  store_u32(data, SYSTEM_CREATE_ACCOUNT);
  store_u64(data + 4, lamports);
  store_u64(data + 12, new->bytes);
  copy(data + 20, new->owner, 32);
  const Instruction instruction = {SYSTEM_PROGRAM, metas, 2, data, sizeof(data)};
  return invoke(&instruction, accounts, &new->signer);
}

static u64 system_transfer(const NewAccount *new, u64 lamports) {
  u8 data[12];
  AccountMeta metas[2] = {{new->payer->key, 1, 1}, {new->account->key, 1, 0}};
  const Account *accounts[2] = {new->payer, new->account};
  store_u32(data, SYSTEM_TRANSFER);
  store_u64(data + 4, lamports);
  const Instruction instruction = {SYSTEM_PROGRAM, metas, 2, data, sizeof(data)};
  return invoke(&instruction, accounts, &NO_SIGNER);
}

static u64 system_allocate(const NewAccount *new) {
  u8 data[12];
  AccountMeta metas[1] = {{new->account->key, 1, 1}};
  const Account *accounts[1] = {new->account};
  store_u32(data, SYSTEM_ALLOCATE);
  store_u64(data + 4, new->bytes);
  const Instruction instruction = {SYSTEM_PROGRAM, metas, 1, data, sizeof(data)};
  return invoke(&instruction, accounts, &new->signer);
}

static u64 system_assign(const NewAccount *new) {
  u8 data[36];
  AccountMeta metas[1] = {{new->account->key, 1, 1}};
  const Account *accounts[1] = {new->account};
  store_u32(data, SYSTEM_ASSIGN);
  copy(data + 4, new->owner, 32);
  const Instruction instruction = {SYSTEM_PROGRAM, metas, 1, data, sizeof(data)};
  return invoke(&instruction, accounts, &new->signer);
}

/*
 * Makes an account; refuses one that is in use. Lamports that somebody sent to its address in advance do not stop
 * it: then it is topped up, sized and handed over in three steps, since the system program creates only at
 * empty addresses.
 */
static u64 create_account(const NewAccount *new) {
  REQUIRE(is_unused(new->account), ACCOUNT_ALREADY_IN_USE);
  u64 minimum;
  TRY(rent_exempt_minimum(new->bytes, &minimum));
  const u64 held = *new->account->lamports;
  const u64 missing = held < minimum ? minimum - held : 0;
  if (held == 0) return system_create(new, minimum);
  if (missing > 0) TRY(system_transfer(new, missing));
  TRY(system_allocate(new));
  return system_assign(new);
}
