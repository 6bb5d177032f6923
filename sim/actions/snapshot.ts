/**
 * Files of state: a provider registers and announces whatever it likes, and people ask what is there.
 * Source: protocol 05 §6.3, §6.13.
 */
import type { EpochMillis, Infer } from "../../core/index.ts";
import { u64 } from "../../core/index.ts";
import { Registration, SnapshotAnnounce } from "../../core/testing.ts";
import { Name } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

export const snapshotForms = {
  "announce-file": actionForm("announce-file", { slot: u64, location: Name }),
  "ask-files": actionForm("ask-files", {}),
};

type Of<K extends keyof typeof snapshotForms> = Infer<(typeof snapshotForms)[K]>;

/** Announces a file of a slot, registered as its provider; the node may refuse. */
export function announceFile(provider: string, slot: bigint, location: string, when: When): Of<"announce-file"> {
  return { ...begins("announce-file", provider, when), slot, location };
}

/** Asks a node at one instant which files it shows, and what it imported. */
export function askFiles(reader: string, when: When): Of<"ask-files"> {
  return begins("ask-files", reader, when);
}

export const snapshotRows: ActionRows<typeof snapshotForms> = {
  "announce-file": { title: ({ slot }) => `announce slot ${slot}`, run: announce },
  "ask-files": {
    title: () => "ask for files",
    *run(person) {
      for (const method of ["getLatestSnapshot", "getSnapshots", "getCheckpointSlot"]) yield* person.ask(method, {});
    },
  },
};

function* announce(person: Person, scene: Scene, { actor, slot, location }: Of<"announce-file">): Script {
  const { peer, publicKey } = person.wallet;
  const registration = {
    service_id: `files-of-${actor}`,
    service_type: { Infrastructure: "SnapshotProvider" },
    provider: peer,
    provider_public_key: publicKey,
    ...{ endpoints: [], supported_ofs: [1300], region: null, capabilities: [], branding: null, pricing: null },
    payout_wallet: null,
    timestamp: person.now(),
  } as const;
  yield* person.ask("sendProviderRegister", { data: person.wallet.data(Registration, registration) });
  const created = person.now();
  const metadata = {
    id: `snap-${slot}-${created}`,
    ...{ snapshot_version: 1, protocol_version: 2, slot, created_at: created as EpochMillis },
    state_root: new Uint8Array(32),
    size_bytes: 100n,
    compression: "Gzip",
    locations: [location] as never,
    producer: peer,
    producer_public_key: publicKey,
  } as const;
  const answer = yield* person.ask("sendSnapshotAnnounce", { data: person.wallet.data(SnapshotAnnounce, metadata) });
  told(scene, person, `announces a file of slot ${slot}: ${answer.type === "refused" ? answer.name : answer.type}`);
}
