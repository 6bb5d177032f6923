/*
 * Shares in basis points. Source: protocol 03 D.7, D.8.
 */
#define BPS_WHOLE 10000

/*
 * floor(amount × bps / 10,000) without a product above 64 bits: with amount = 10,000 q + r it is
 * q × bps + floor(r × bps / 10,000). Source: protocol 03 D.7.
 */
static u64 share_of(u64 amount, u64 bps) {
  return amount / BPS_WHOLE * bps + amount % BPS_WHOLE * bps / BPS_WHOLE;
}
