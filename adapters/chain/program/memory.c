/*
 * Words of memory: integer types, unaligned little-endian loads and stores, comparison and copying of keys.
 * Big copies go through the chain's own calls: the machine has no library. Source: DESIGN section 4.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

/* A byte string as the chain's calls take it. */
typedef struct {
  const u8 *bytes;
  u64 length;
} Slice;

/* Eight bytes as the protocol prints them, as the word that a little-endian load reads. */
#define NAMED(printed) __builtin_bswap64(printed##ULL)

#define SLICE(pointer, count) ((Slice){(const u8 *)(pointer), (count)})
#define TEXT(literal) SLICE(literal, sizeof(literal) - 1)

extern u64 sol_memcpy_(void *to, const void *from, u64 length);
extern u64 sol_memset_(void *to, int byte, u64 length);
extern u64 sol_memcmp_(const void *a, const void *b, u64 length, int *result);

static inline u16 load_u16(const u8 *at) {
  return (u16)(at[0] | (u16)at[1] << 8);
}

static inline u32 load_u32(const u8 *at) {
  return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

static inline u64 load_u64(const u8 *at) {
  return (u64)load_u32(at) | (u64)load_u32(at + 4) << 32;
}

static inline i64 load_i64(const u8 *at) {
  return (i64)load_u64(at);
}

static inline void store_u16(u8 *at, u16 value) {
  at[0] = (u8)value;
  at[1] = (u8)(value >> 8);
}

static inline void store_u32(u8 *at, u32 value) {
  store_u16(at, (u16)value);
  store_u16(at + 2, (u16)(value >> 16));
}

static inline void store_u64(u8 *at, u64 value) {
  store_u32(at, (u32)value);
  store_u32(at + 4, (u32)(value >> 32));
}

static inline void store_i64(u8 *at, i64 value) {
  store_u64(at, (u64)value);
}

static void copy(void *to, const void *from, u64 length) {
  sol_memcpy_(to, from, length);
}

static void fill(void *to, int byte, u64 length) {
  sol_memset_(to, byte, length);
}

static int bytes_equal(const u8 *a, const u8 *b, u64 length) {
  int difference = 1;
  sol_memcmp_(a, b, length, &difference);
  return difference == 0;
}

static int keys_equal(const u8 *a, const u8 *b) {
  return bytes_equal(a, b, 32);
}
