/**
 * Arbitraries of fast-check for everything that is signed and sent, and for what it is made of.
 */

export { arbFloat, arbInteger, arbU64 } from "./numbers.ts";
export { arbitraryOf } from "./of-schema.ts";
export { arbPeerId, arbPublicKey, arbSignatureText, arbSigner, type Signer, signerOf } from "./people.ts";
export { arbPayload, arbSigned, nameSigner, type SignedPayload } from "./signed.ts";
export { arbCid, arbPaymentMethod, arbPlainText, arbText } from "./texts.ts";
