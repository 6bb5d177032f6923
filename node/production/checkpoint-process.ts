/**
 * The process that makes a checkpoint beside a running node: begins with the last one, or with nothing, asks the node
 * for what changed since, folds and packs that, writes the file, and says what it came to. It gives way to all others,
 * and ends with the node.
 * Not here: whether the ledger names what was made (checkpoint-maker.ts).
 */
import { setPriority } from "node:os";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import type { ChangesPage, NamedCheckpoint } from "../../adapters/sqlite/changes.ts";
import type { WrittenCheckpoint } from "../../adapters/sqlite/checkpoint-file.ts";
import { readCheckpoint, writeCheckpoint } from "../../adapters/sqlite/checkpoint-file.ts";
import type { CatchUp, NetworkProfile, NodeConfiguration, PeerId, Result, RootTexts } from "../../core/index.ts";
import { err, marketplace, ok, openCatchUp, openCheckpoint, publicKeyText } from "../../core/index.ts";
import { changesBehind, rulesOfSoftware } from "./checkpoint-parts.ts";

/** What the process is told first. */
export interface CheckpointOrder {
  readonly ledger: string;
  readonly named: NamedCheckpoint | undefined;
  /** The place of the newest change then. */
  readonly newest: number;
  readonly profile: NetworkProfile;
  /** Whose node it is: what it signed itself says nothing about how much it missed. */
  readonly peerId: PeerId;
}

/** What the process asks the node for. */
export interface CheckpointQuestion {
  readonly type: "ask";
  readonly place: number;
  readonly kinds: "rows" | "all";
}

/** Changes, and with the last of them the roots that the node had then. */
export type CheckpointPage = Result<ChangesPage & { readonly roots?: RootTexts }, string>;

/** How it ended: the checkpoint, what it holds and what the node held; or why there is none, in one line. */
export interface CheckpointOutcome {
  readonly type: "made";
  readonly made: Result<MadeCheckpoint, string>;
}
interface MadeCheckpoint {
  readonly written: WrittenCheckpoint;
  readonly roots: RootTexts;
  readonly expected: RootTexts;
}

/** Gives way to everything else on the machine. */
const LEAST_PRIORITY = 19;

giveWay();
process.on("disconnect", () => process.exit(0));
process.once("message", (order) => {
  void made(order as CheckpointOrder).then((outcome) => {
    process.send?.({ type: "made", made: outcome } satisfies CheckpointOutcome, () => process.disconnect());
  });
});

function giveWay(): void {
  try {
    setPriority(LEAST_PRIORITY);
  } catch {
    // Where the system does not allow that, it takes its turn like any other.
  }
}

async function made({ ledger, named, newest, ...order }: CheckpointOrder): Promise<Result<MadeCheckpoint, string>> {
  const crypto = openNativeCrypto();
  const terms = { network: marketplace, crypto, rules: rulesOfSoftware(order.profile) };
  const configuration = configurationOf(order);
  const read = named && readCheckpoint(ledger, named);
  if (read?.ok === false) return read;
  const opened = read && openCheckpoint(read.value, terms, configuration);
  if (opened?.ok === false) return opened;
  const catchUp = openCatchUp(opened?.value, terms, configuration);
  const begun = opened === undefined ? await takeRows(catchUp, newest) : ok(null);
  if (!begun.ok) return begun;
  const changes = await changesBehind((place) => ask(place, "all"), named?.place ?? newest);
  if (!changes.ok) return changes;
  for (const page of changes.value.pages) {
    const taken = catchUp.take(page);
    if (!taken.ok) return taken;
  }
  const { place, last } = changes.value;
  const written = writeCheckpoint(ledger, { place, rows: catchUp.rows(), sections: catchUp.sections() });
  if (!written.ok || last.roots === undefined) return written.ok ? err("the node told no roots") : written;
  return ok({ written: written.value, roots: catchUp.roots(), expected: last.roots });
}

/** All rows up to a place; those that change meanwhile, or go, come with what lies behind it. */
async function takeRows(catchUp: CatchUp, newest: number): Promise<Result<null, string>> {
  for (let place = 0; place < newest; ) {
    const page = await ask(place, "rows");
    if (!page.ok) return page;
    const taken = catchUp.take(page.value.changes.filter((change) => change.place <= newest));
    if (!taken.ok) return taken;
    place = page.value.place;
  }
  return ok(null);
}

function ask(place: number, kinds: CheckpointQuestion["kinds"]) {
  return new Promise<CheckpointPage>((answered) => {
    process.once("message", (page) => answered(page as CheckpointPage));
    process.send?.({ type: "ask", place, kinds } satisfies CheckpointQuestion);
  });
}

/** A configuration of the node without its key: a fold asks for the profile, and whose node it is. */
function configurationOf({ profile, peerId }: Pick<CheckpointOrder, "profile" | "peerId">): NodeConfiguration {
  const secretKey = new Uint8Array(32);
  const key = openNativeCrypto().publicKey(secretKey);
  return {
    ...{ profile, secretKey, publicKey: publicKeyText(key), peerId, chain: "GossipOnly" },
    ...{ announcedAddresses: [], entrypoints: [], roles: [], version: "" },
  };
}
