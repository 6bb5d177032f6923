/**
 * Simulated people: a wallet by name, which signs payloads, answers wallet challenges and signs chain transactions.
 * Only a wallet completes or signs what its owner says; a node never does (law L6).
 * Source: protocol 01 §1.2, §3.4, §4, §13.4, §16.8.
 */

import type { Fields, PeerId, PublicKey, RecordOf, SignedType } from "../core/index.ts";
import { peerBytesOfKey, peerOfKey, tagged, toBase58, toBase64, transcript, utf8 } from "../core/index.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import type { WalletForm } from "../core/testing.ts";
import type { TransactionPlan } from "./chain/transaction.ts";
import { signTransaction } from "./chain/transaction.ts";
import { bytes, openStream } from "./random.ts";

/** The form in which a payload is signed. Source: protocol 01 §3.4. */
export type SigningForm = "bare" | "tagged";

/** What a wallet-proof read asks for. Source: protocol 01 §11. */
export interface WalletProof {
  readonly wallet: string;
  readonly public_key: string;
  readonly nonce: string;
  readonly signature: string;
}

/** A nonce that a node issued. Source: protocol 01 §11, `getWalletChallenge`. */
export interface Challenge {
  readonly subject: string;
  readonly nonce: string;
}

/** A key pair that signs what wallets sign. */
export interface Wallet {
  readonly name: string;
  readonly peer: PeerId;
  readonly publicKey: PublicKey;
  /** The same key as an account of the chain. */
  readonly address: string;
  /** 32 bytes each, for genesis and for transactions that several people sign. */
  readonly keypair: { readonly publicKey: Uint8Array; readonly secretKey: Uint8Array };
  /** The wallet as a parameter: base58 of the peer id, or base64 of its 38 bytes. */
  parameter(form: WalletForm): string;
  /** The value of `data` of a send: base64 of payload and signature. */
  data<F extends Fields>(type: SignedType<F>, payload: RecordOf<F>, form?: SigningForm): string;
  /** Answers a challenge whose subject is this wallet, or a service of its. Source: protocol 01 §13.4. */
  prove(domain: string, challenge: Challenge, form: WalletForm): WalletProof;
  /** Signs a transaction that this wallet pays for, together with other signers. */
  transaction(plan: Omit<TransactionPlan, "payer">, others?: readonly Wallet[]): Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** The wallet that a seed and a name give. */
export function openWallet(crypto: CryptoPort, seed: bigint, name: string): Wallet {
  return walletOfSecret(crypto, name, bytes(openStream(seed, `wallet/${name}`), 0, 32));
}

/** The wallets of a seed by name: asked twice, the same one. */
export function openWallets(crypto: CryptoPort, seed: bigint): (name: string) => Wallet {
  const wallets = new Map<string, Wallet>();
  return (name) => {
    const wallet = wallets.get(name) ?? openWallet(crypto, seed, name);
    wallets.set(name, wallet);
    return wallet;
  };
}

/** The wallet of a secret key, for published vectors. */
export function walletOfSecret(crypto: CryptoPort, name: string, secretKey: Uint8Array): Wallet {
  const publicKey = crypto.publicKey(secretKey);
  const keypair = { publicKey, secretKey };
  const peer = peerOfKey(publicKey);
  const address = toBase58(publicKey);
  const sign = (message: Uint8Array) => crypto.sign(secretKey, message);
  return {
    name,
    peer,
    publicKey: address as PublicKey,
    address,
    keypair,
    sign,
    parameter: (form) => (form === "base58" ? peer : toBase64(peerBytesOfKey(publicKey))),
    data: (type, payload, form = "tagged") => signedData(type, payload, form, sign),
    prove(domain, challenge, form) {
      const signature = sign(utf8(`${domain}:${challenge.subject}:${challenge.nonce}`));
      const spell = form === "base58" ? toBase58 : toBase64;
      const wallet = form === "base58" ? peer : toBase64(peerBytesOfKey(publicKey));
      return { wallet, public_key: spell(publicKey), nonce: challenge.nonce, signature: spell(signature) };
    },
    transaction(plan, others = []) {
      const signers = [keypair, ...others.map((other) => other.keypair)];
      return signTransaction({ ...plan, payer: address }, signers, crypto);
    },
  };
}

/** Payload and signature as a client sends them. Payloads that only verify tagged are always signed tagged. */
function signedData<F extends Fields>(
  type: SignedType<F>,
  payload: RecordOf<F>,
  form: SigningForm,
  sign: (message: Uint8Array) => Uint8Array,
): string {
  const json = transcript(type, payload);
  const bare = form === "bare" && type.forms === "both";
  const signature = toBase58(sign(bare ? json : tagged(type as unknown as SignedType, json)));
  const text = new TextDecoder().decode(json);
  return toBase64(utf8(`{${JSON.stringify(type.outer)}:${text},"signature":${JSON.stringify(signature)}}`));
}
