/**
 * Pictures that people upload as evidence: small files that begin as a PNG does, named by their hash.
 * Source: protocol 02 G.2, G.6.
 */
import type { Infer } from "../../core/index.ts";
import { concat, toBase64, u32, utf8 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { cidOfBlock } from "../../core/testing.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { When } from "./trade-terms.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Different pictures that there are. */
export const PICTURES = 4;

/** A file that people upload. */
export interface Picture {
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/** One of the pictures, always the same for its number. */
export function pictureOf(crypto: CryptoPort, number: number): Picture {
  const bytes = concat(PNG, utf8(`picture ${number % PICTURES} of a bank statement`));
  return { cid: cidOfBlock(crypto, "raw", bytes), bytes };
}

export const contentForms = { upload: actionForm("upload", { picture: u32 }) };

type Upload = Infer<(typeof contentForms)["upload"]>;

/** Gives a node the bytes of a picture. */
export function upload(actor: string, picture: number, when: When): Upload {
  return { ...begins("upload", actor, when), picture };
}

export const contentRows: ActionRows<typeof contentForms> = {
  upload: {
    title: () => "upload",
    *run(person, scene, { picture }) {
      const { cid, bytes } = pictureOf(scene.world.crypto, picture);
      yield* person.must("sendContentPut", { cid, content: toBase64(bytes) });
    },
  },
};
