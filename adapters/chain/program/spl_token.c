/*
 * Tokens: what a mint and a token account are, and how they move. Both token programs share these bytes;
 * the one in use is passed in and must own the mint. Source: protocol 03 D.4 (token program accounts).
 */
#define MINT_BYTES 82
#define MINT_DECIMALS 44
#define MINT_INITIALIZED 45
#define TOKEN_ACCOUNT_BYTES 165
#define TOKEN_MINT 0
#define TOKEN_AUTHORITY 32
#define TOKEN_AMOUNT 64
#define TOKEN_STATE 108
/* With extensions, the byte after the base account says what it is. */
#define TOKEN_KIND 165
#define TOKEN_KIND_MINT 1
#define TOKEN_KIND_ACCOUNT 2

#define TOKEN_TRANSFER_CHECKED 12
#define TOKEN_INITIALIZE_ACCOUNT_3 18

static u64 expect_token_program(const Account *program) {
  REQUIRE(
    keys_equal(program->key, TOKEN_PROGRAM) || keys_equal(program->key, TOKEN_2022_PROGRAM), INVALID_ACCOUNT
  );
  return SUCCESS;
}

static u64 expect_mint(const Account *mint, const Account *program) {
  REQUIRE(keys_equal(mint->owner, program->key), INVALID_ACCOUNT);
  const int plain = *mint->length == MINT_BYTES;
  const int extended = *mint->length > TOKEN_KIND && mint->data[TOKEN_KIND] == TOKEN_KIND_MINT;
  REQUIRE(plain || extended, INVALID_ACCOUNT);
  REQUIRE(mint->data[MINT_INITIALIZED] == 1, INVALID_ACCOUNT);
  return SUCCESS;
}

/* A live token account of some mint. */
static u64 expect_any_token_account(const Account *account, const Account *program) {
  REQUIRE(keys_equal(account->owner, program->key), INVALID_ACCOUNT);
  const int plain = *account->length == TOKEN_ACCOUNT_BYTES;
  const int extended = *account->length > TOKEN_KIND && account->data[TOKEN_KIND] == TOKEN_KIND_ACCOUNT;
  REQUIRE(plain || extended, INVALID_ACCOUNT);
  REQUIRE(account->data[TOKEN_STATE] != 0, INVALID_ACCOUNT);
  return SUCCESS;
}

static u64 expect_token_account(const Account *account, const Account *program, const u8 *mint) {
  TRY(expect_any_token_account(account, program));
  REQUIRE(keys_equal(account->data + TOKEN_MINT, mint), INVALID_ACCOUNT);
  return SUCCESS;
}

/* A token account of this mint that `authority` commands. */
static u64 expect_tokens_of(const Account *account, const Account *program, const u8 *mint, const u8 *authority) {
  TRY(expect_token_account(account, program, mint));
  REQUIRE(keys_equal(account->data + TOKEN_AUTHORITY, authority), INVALID_ACCOUNT);
  return SUCCESS;
}

static u64 token_amount(const Account *account) {
  return load_u64(account->data + TOKEN_AMOUNT);
}

/* Tokens on their way; `signer` is empty when `authority` signed the transaction itself. */
typedef struct {
  const Account *program;
  const Account *mint;
  const Account *from;
  const Account *to;
  const Account *authority;
  u64 amount;
  Signer signer;
} Transfer;

/*
 * Moves tokens; nothing moves and nothing is looked at when the amount is 0. Too little money, a frozen account or
 * a foreign authority are the token program's own refusals.
 */
static u64 transfer_tokens(const Transfer *transfer) {
  if (transfer->amount == 0) return SUCCESS;
  u8 data[10];
  AccountMeta metas[4] = {
    {transfer->from->key, 1, 0},
    {transfer->mint->key, 0, 0},
    {transfer->to->key, 1, 0},
    {transfer->authority->key, 0, 1},
  };
  const Account *accounts[4] = {transfer->from, transfer->mint, transfer->to, transfer->authority};
  TRY(expect_token_account(transfer->from, transfer->program, transfer->mint->key));
  TRY(expect_token_account(transfer->to, transfer->program, transfer->mint->key));
  data[0] = TOKEN_TRANSFER_CHECKED;
  store_u64(data + 1, transfer->amount);
  data[9] = transfer->mint->data[MINT_DECIMALS];
  const Instruction instruction = {transfer->program->key, metas, 4, data, sizeof(data)};
  return invoke(&instruction, accounts, &transfer->signer);
}

/*
 * A token account at a derived address of this program, of the plain size. A mint whose token accounts need more,
 * one that takes a fee on transfers say, is refused by its token program here, so the books can count on what is
 * sent being what arrives.
 */
typedef struct {
  const Account *payer;
  const Account *account;
  const Account *mint;
  const Account *program;
  const u8 *authority;
  Signer signer;
} NewTokenAccount;

static u64 create_token_account(const NewTokenAccount *new) {
  const NewAccount account = {new->payer, new->account, new->program->key, TOKEN_ACCOUNT_BYTES, new->signer};
  TRY(create_account(&account));
  u8 data[33];
  AccountMeta metas[2] = {{new->account->key, 1, 0}, {new->mint->key, 0, 0}};
  const Account *accounts[2] = {new->account, new->mint};
  data[0] = TOKEN_INITIALIZE_ACCOUNT_3;
  copy(data + 1, new->authority, 32);
  const Instruction instruction = {new->program->key, metas, 2, data, sizeof(data)};
  return invoke(&instruction, accounts, &NO_SIGNER);
}
