/**
 * Sessions of a wallet: which client acts for it, on which node, and until when; moved, prolonged and ended for ever.
 * Source: protocol 04 §5.4, §5.5.
 */
import type { EpochMillis, Infer } from "../../core/index.ts";
import { u64 } from "../../core/index.ts";
import { SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "../../core/testing.ts";
import { Milliseconds, Name, NodeIndex } from "../data/values.ts";
import type { Person } from "../person.ts";
import type { Scene } from "../scene.ts";
import type { Script } from "../script.ts";
import type { ActionRows } from "./action-row.ts";
import { actionForm, begins } from "./action-row.ts";
import { until } from "./trade.ts";
import type { When } from "./trade-terms.ts";
import { told } from "./trade-terms.ts";

/** A session at its beginning: its id, the client, the node where it lives, and for how many milliseconds. */
export interface SessionTerms {
  readonly session: string;
  readonly client: string;
  readonly host: number;
  readonly lastsMs: number;
}

const session = { session: Name };
export const sessionForms = {
  "establish-session": actionForm("establish-session", {
    ...session,
    ...{ client: Name, host: NodeIndex, lastsMs: Milliseconds },
  }),
  "renew-session": actionForm("renew-session", { ...session, version: u64, lastsMs: Milliseconds }),
  "migrate-session": actionForm("migrate-session", { ...session, version: u64, host: NodeIndex }),
  "revoke-session": actionForm("revoke-session", session),
};

type Of<K extends keyof typeof sessionForms> = Infer<(typeof sessionForms)[K]>;

/** A wallet lets a client act for it. */
export function establishSession(owner: string, terms: SessionTerms, when: When): Of<"establish-session"> {
  const { session: id, client, host, lastsMs } = terms;
  return { ...begins("establish-session", owner, when), session: id, client, host, lastsMs };
}

/** Its owner lets a session last so long from now on. */
export function renewSession(
  owner: string,
  id: string,
  { version, lastsMs }: { readonly version: bigint; readonly lastsMs: number },
  when: When,
): Of<"renew-session"> {
  return { ...begins("renew-session", owner, when), session: id, version, lastsMs };
}

/** Its owner moves a session to another node. */
export function migrateSession(
  owner: string,
  id: string,
  { version, host }: { readonly version: bigint; readonly host: number },
  when: When,
): Of<"migrate-session"> {
  return { ...begins("migrate-session", owner, when), session: id, version, host };
}

/** Its owner ends a session for ever. */
export function revokeSession(owner: string, id: string, when: When): Of<"revoke-session"> {
  return { ...begins("revoke-session", owner, when), session: id };
}

export const sessionRows: ActionRows<typeof sessionForms> = {
  "establish-session": {
    title: ({ session: id }) => `establish ${id}`,
    nodes: ({ host }) => [host],
    *run(person, scene, { session: id, client, host, lastsMs }) {
      yield* person.send("sendSessionEstablish", SessionCreate, {
        ...{ id, client, wallet: person.wallet.peer, wallet_public_key: person.wallet.publicKey },
        ...{ host_node: peerOf(scene, host), permissions: ["trade"] },
        timestamp: person.now(),
        expires_at: endsAfter(person, lastsMs),
      });
      told(scene, person, `lets ${client} act for him at node ${host} (${id})`);
    },
  },
  "renew-session": {
    title: ({ session: id }) => `renew ${id}`,
    *run(person, scene, { session: id, version, lastsMs }) {
      yield* isKnown(person, id);
      const act = { session_id: id, wallet: person.wallet.peer, version, timestamp: person.now() };
      yield* person.send("sendSessionRenew", SessionRenew, { ...act, new_expires_at: endsAfter(person, lastsMs) });
      told(scene, person, `prolongs ${id}`);
    },
  },
  "migrate-session": {
    title: ({ session: id }) => `migrate ${id}`,
    nodes: ({ host }) => [host],
    *run(person, scene, { session: id, version, host }) {
      yield* isKnown(person, id);
      const act = { session_id: id, wallet: person.wallet.peer, version, timestamp: person.now() };
      yield* person.send("sendSessionMigrate", SessionMigrate, { ...act, new_host_node: peerOf(scene, host) });
      told(scene, person, `moves ${id} to node ${host}`);
    },
  },
  "revoke-session": {
    title: ({ session: id }) => `revoke ${id}`,
    *run(person, scene, { session: id }) {
      yield* isKnown(person, id);
      const act = { session_id: id, wallet: person.wallet.peer, timestamp: person.now() };
      yield* person.send("sendSessionRevoke", SessionRevoke, act);
      told(scene, person, `ends ${id}`);
    },
  },
};

function* isKnown(person: Person, id: string): Script {
  yield* until(person, "getSession", id, () => true);
}

function endsAfter(person: Person, lastsMs: number): EpochMillis {
  return (person.now() + BigInt(lastsMs)) as EpochMillis;
}

function peerOf({ world }: Scene, node: number) {
  return world.walletOf(`node/${node}`).peer;
}
