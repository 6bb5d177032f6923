/*
 * The tally: weighted votes of one round, counted in 128 bits, and the reward of a share.
 * Source: protocol 03 D.8 (tally, rewards).
 */
#define OUTCOME_COUNT 4

/* A number below 2^128; the machine has no such type. */
typedef struct {
  u64 high;
  u64 low;
} Wide;

static void wide_add(Wide *sum, u64 amount) {
  sum->low += amount;
  if (sum->low < amount) sum->high += 1;
}

static int wide_compare(const Wide *a, const Wide *b) {
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return 0;
}

/* The product of two words, from four products of half words. */
static void wide_multiply(Wide *product, u64 a, u64 b) {
  const u64 half = 0xffffffffULL;
  const u64 low = (a & half) * (b & half);
  const u64 cross = (a >> 32) * (b & half) + (low >> 32);
  const u64 other = (a & half) * (b >> 32) + (cross & half);
  product->low = other << 32 | (low & half);
  product->high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

/* floor(value / divisor) by long division, bit by bit; the quotient must fit a word: value.high < divisor. */
static u64 wide_divide(const Wide *value, u64 divisor) {
  u64 remainder = value->high;
  u64 quotient = 0;
  for (int bit = 63; bit >= 0; bit--) {
    const u64 carry = remainder >> 63;
    remainder = remainder << 1 | (value->low >> bit & 1);
    quotient <<= 1;
    if (carry || remainder >= divisor) {
      remainder -= divisor;
      quotient |= 1;
    }
  }
  return quotient;
}

/* What a round came to: `outcome` NONE when it is undecided. */
typedef struct {
  u64 counted;
  u8 outcome;
  u64 winning_weight;
} Tally;

static int is_counted(const CaseParts *parts, u64 seat) {
  return parts->revealed[seat] < OUTCOME_COUNT && parts->weights[seat] > 0;
}

/* The outcome with the single largest sum, NONE on a tie. A sum above one word shows as the largest word. */
static void pick_largest(Tally *tally, const Wide sums[OUTCOME_COUNT]) {
  u8 best = 0;
  int tied = 0;
  for (u8 outcome = 1; outcome < OUTCOME_COUNT; outcome++) {
    const int order = wide_compare(&sums[outcome], &sums[best]);
    if (order > 0) best = outcome;
    if (order >= 0) tied = order == 0;
  }
  if (tied) return;
  tally->outcome = best;
  tally->winning_weight = sums[best].high == 0 ? sums[best].low : ~0ULL;
}

/* Ignores reveals without weight; fewer than three that count, or a tie, decide nothing. */
static void tally_votes(const CaseParts *parts, Tally *tally) {
  Wide sums[OUTCOME_COUNT];
  for (u64 outcome = 0; outcome < OUTCOME_COUNT; outcome++) sums[outcome] = (Wide){0, 0};
  *tally = (Tally){0, NONE, 0};
  for (u64 seat = 0; seat < parts->seats; seat++) {
    if (!is_counted(parts, seat)) continue;
    wide_add(&sums[parts->revealed[seat]], parts->weights[seat]);
    tally->counted += 1;
  }
  if (tally->counted >= COUNTED_VOTES_MIN) pick_largest(tally, sums);
}
