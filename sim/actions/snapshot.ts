/**
 * Files of state: a provider registers and announces whatever it likes, and people ask what is there.
 * Source: protocol 05 §6.3, §6.13.
 */
import type { EpochMillis } from "../../core/index.ts";
import { Registration, SnapshotAnnounce } from "../../core/testing.ts";
import type { CodeAction as Action } from "./action-row.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** Announces a file of a slot, registered as its provider; the node may refuse. */
export function announceFile(provider: string, slot: bigint, location: string, when: When): Action {
  return {
    ...{ name: `announce slot ${slot}`, actor: provider, ...when },
    *run(person, scene) {
      const { peer, publicKey } = person.wallet;
      const registration = {
        service_id: `files-of-${provider}`,
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
      const answer = yield* person.ask("sendSnapshotAnnounce", {
        data: person.wallet.data(SnapshotAnnounce, metadata),
      });
      told(scene, person, `announces a file of slot ${slot}: ${answer.type === "refused" ? answer.name : answer.type}`);
    },
  };
}

/** Asks every node at one instant which files it shows, and what it imported. */
export function askFiles(reader: string, when: When): Action {
  return {
    ...{ name: "ask for files", actor: reader, ...when },
    *run(person) {
      for (const method of ["getLatestSnapshot", "getSnapshots", "getCheckpointSlot"]) yield* person.ask(method, {});
    },
  };
}
