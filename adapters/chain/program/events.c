/*
 * Events: one log line `Program data: ` + base64(discriminator, fields). Source: protocol 03 D.5.
 */
#define EVENT_BYTES_MAX 256
/* First eight bytes of s(`event:` + name). */
#define EVENT_DISPUTE_RESOLVED NAMED(0x7940f9998b80ecbb)
#define EVENT_DISPUTE_TERMINAL_SPLIT NAMED(0xc6b11e35a0f5984f)
#define EVENT_ESCROW_RELEASED NAMED(0x83078a68a6be7170)
#define EVENT_ARBITRATION_DEPOSIT_TAKEN NAMED(0x8994e6dcc8a87d87)
#define EVENT_STAKE_RECOVERY_CLAIM_RECORDED NAMED(0x6f04709b938b2230)
#define EVENT_STAKE_RECOVERY_ABSORBED NAMED(0x1c1c2209f0bbb624)
#define EVENT_ARBITRATION_DEPOSIT_TOPPED_UP NAMED(0x50d029ecb76c2c6c)
#define EVENT_ARBITRATION_REWARD_CLAIMED NAMED(0x5992998b5818be04)
#define EVENT_ARBITRATOR_POOL_SIZE_PUBLISHED NAMED(0x9468053091e6b186)
#define EVENT_AD_LISTING_FEE_CHARGED NAMED(0x8c1ecf8ba2aa00d7)

extern u64 sol_log_data(const Slice *fields, u64 count);

typedef struct {
  u8 bytes[EVENT_BYTES_MAX];
  u64 length;
} Event;

static void put_u8(Event *event, u8 value) {
  event->bytes[event->length] = value;
  event->length += 1;
}

static void put_u32(Event *event, u32 value) {
  store_u32(event->bytes + event->length, value);
  event->length += 4;
}

static void put_u64(Event *event, u64 value) {
  store_u64(event->bytes + event->length, value);
  event->length += 8;
}

static void put_i64(Event *event, i64 value) {
  put_u64(event, (u64)value);
}

static void put_key(Event *event, const u8 *key) {
  copy(event->bytes + event->length, key, 32);
  event->length += 32;
}

static void begin_event(Event *event, u64 discriminator) {
  event->length = 0;
  put_u64(event, discriminator);
}

static void emit(const Event *event) {
  const Slice line = SLICE(event->bytes, event->length);
  sol_log_data(&line, 1);
}
