/*
 * What the chain hands to one call: accounts, data, program id; and the checks every instruction begins with.
 * Order everywhere: argument length, number of accounts, signer and writable flags in account order, identity
 * of each account, then the rules of protocol 03 D.7 and D.8. Source: DESIGN section 4 "Program".
 */
#define ACCOUNTS_MAX 20
#define ACCOUNT_GROWTH_BYTES 10240

/* One account. The pointers lead into the chain's own buffer, so they show what a call changed. */
typedef struct {
  u8 *key;
  u8 *owner;
  u64 *lamports;
  u64 *length;
  u8 *data;
  u64 rent_epoch;
  u8 signer;
  u8 writable;
  u8 executable;
} Account;

/* One call. `now` is the chain's clock in Unix seconds; it is read once, before the instruction. */
typedef struct {
  Account accounts[ACCOUNTS_MAX];
  u64 account_count;
  const u8 *data;
  u64 length;
  const u8 *program;
  i64 now;
} Call;

/* Reads one account and returns where the next begins. A repeated account leads to the same memory. */
static u8 *read_account(Call *call, u8 *at, u64 index) {
  Account unused;
  Account *account = index < ACCOUNTS_MAX ? &call->accounts[index] : &unused;
  if (at[0] != 0xff) {
    /* mutate: equivalent "&& -> ||", the first one stands before its repetition, and `unused` is read by nobody. */
    if (index < ACCOUNTS_MAX && at[0] < ACCOUNTS_MAX) copy(account, &call->accounts[at[0]], sizeof(Account));
    return at + 8;
  }
  account->signer = at[1];
  account->writable = at[2];
  account->executable = at[3];
  account->key = at + 8;
  account->owner = at + 40;
  account->lamports = (u64 *)(at + 72);
  account->length = (u64 *)(at + 80);
  account->data = at + 88;
  u8 *end = account->data + *account->length + ACCOUNT_GROWTH_BYTES;
  end = (u8 *)(((u64)end + 7) & ~7ULL);
  account->rent_epoch = *(u64 *)end;
  return end + 8;
}

/* Reads the chain's input buffer: count, accounts, data, program id. */
static void read_call(Call *call, u8 *input) {
  const u64 count = *(u64 *)input;
  u8 *at = input + 8;
  for (u64 index = 0; index < count; index++) at = read_account(call, at, index);
  call->account_count = count;
  call->length = *(u64 *)at;
  call->data = at + 8;
  call->program = call->data + call->length;
}

/*
 * Refuses unless the call has one account per letter, with the rights the letter asks for:
 * `r` any, `w` writable, `s` signer, `b` both. Source: protocol 03 D.4, column "Accounts".
 */
static u64 expect_accounts(const Call *call, const char *rights) {
  u64 wanted = 0;
  while (rights[wanted] != 0) wanted++;
  REQUIRE(call->account_count >= wanted, NOT_ENOUGH_ACCOUNT_KEYS);
  for (u64 index = 0; index < wanted; index++) {
    const Account *account = &call->accounts[index];
    const char right = rights[index];
    REQUIRE(account->signer || (right != 's' && right != 'b'), MISSING_REQUIRED_SIGNATURE);
    REQUIRE(account->writable || (right != 'w' && right != 'b'), INVALID_ACCOUNT);
  }
  return SUCCESS;
}

/* The arguments after the eight bytes that name the instruction; their length is exact. */
static u64 expect_arguments(const Call *call, u64 length) {
  REQUIRE(call->length == 8 + length, INVALID_INSTRUCTION_DATA);
  return SUCCESS;
}

static const u8 *arguments(const Call *call) {
  return call->data + 8;
}

static u64 expect_key(const Account *account, const u8 *key) {
  REQUIRE(keys_equal(account->key, key), INVALID_ACCOUNT);
  return SUCCESS;
}

/* Refuses unless a program wrote this kind of account: its owner, its size, its first eight bytes. */
static u64 expect_kind(const Account *account, const u8 *program, u64 size, u64 discriminator) {
  REQUIRE(keys_equal(account->owner, program), INVALID_ACCOUNT);
  REQUIRE(*account->length >= size, INVALID_ACCOUNT);
  REQUIRE(load_u64(account->data) == discriminator, INVALID_ACCOUNT);
  return SUCCESS;
}

/* Nobody wrote this account yet. Lamports may lie there: anyone can send some to any address. */
static int is_unused(const Account *account) {
  return keys_equal(account->owner, SYSTEM_PROGRAM) && *account->length == 0;
}
