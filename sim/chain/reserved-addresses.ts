/**
 * Addresses of the validator itself, which no transaction may write to: what a message asks for there is read-only.
 * Source: Solana's runtime, its reserved addresses.
 */

/** Where it stands in a message, programs that the message calls may be written to. Source: Solana's runtime. */
export const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";

/** The validator's own programs and loaders. */
const programs = [
  "11111111111111111111111111111111",
  "AddressLookupTab1e1111111111111111111111111",
  "BPFLoader1111111111111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  UPGRADEABLE_LOADER,
  "ComputeBudget111111111111111111111111111111",
  "Config1111111111111111111111111111111111111",
  "Ed25519SigVerify111111111111111111111111111",
  "Feature111111111111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "LoaderV411111111111111111111111111111111111",
  "NativeLoader1111111111111111111111111111111",
  "Stake11111111111111111111111111111111111111",
  "StakeConfig11111111111111111111111111111111",
  "Vote111111111111111111111111111111111111111",
];

/** What the validator writes for programs to read, and the owner of it all. */
const sysvars = [
  "Sysvar1111111111111111111111111111111111111",
  "SysvarC1ock11111111111111111111111111111111",
  "SysvarEpochRewards1111111111111111111111111",
  "SysvarEpochSchedu1e111111111111111111111111",
  "SysvarFees111111111111111111111111111111111",
  "Sysvar1nstructions1111111111111111111111111",
  "SysvarLastRestartS1ot1111111111111111111111",
  "SysvarRecentB1ockHashes11111111111111111111",
  "SysvarRent111111111111111111111111111111111",
  "SysvarRewards111111111111111111111111111111",
  "SysvarS1otHashes111111111111111111111111111",
  "SysvarS1otHistory11111111111111111111111111",
  "SysvarStakeHistory1111111111111111111111111",
];

/** Accounts, but none that may be called. */
export const sysvarAddresses: ReadonlySet<string> = new Set(sysvars);

/** All of them. */
export const reservedAddresses: ReadonlySet<string> = new Set([...programs, ...sysvars]);
