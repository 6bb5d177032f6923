/**
 * Bugs in how nodes take, keep, pass on and answer: admission, gossip, storage, proofs, redaction.
 */
import type { Plant } from "../plant.ts";
import { plantsIn } from "../plant.ts";

const ADMISSION = "core/engine/admission";
const GOSSIP = "core/network/gossip";
const PROOFS = "core/domains/wallet-proofs";

export const nodePlants: readonly Plant[] = [
  ...plantsIn("law", "core/engine/driver.ts", [
    [
      "answers-before-durable",
      "effects are performed before their batch is on the disk",
      "    flying = batch;\n    commit(batch);",
      "    flying = batch;\n    for (const effect of batch.effects.splice(0)) perform(effect);\n    commit(batch);",
    ],
    [
      "memory-survives-failed-commit",
      "memory is kept though the store refused it",
      "    beginAnew();\n    bootSeed = crypto.sha256(bootSeed);",
      "    bootSeed = crypto.sha256(bootSeed);",
    ],
    [
      "challenges-answered-again",
      "a challenge that was answered is answered again after a failed commit",
      "    bootSeed = crypto.sha256(bootSeed);\n",
      "",
    ],
    [
      "callers-left-waiting",
      "a failed commit is told to nobody",
      '    for (const effect of lost) if (effect.type === "rpc.reply") perform(failed(configuration, effect));\n',
      "",
    ],
    [
      "success-though-refused",
      "a refused batch is answered as if it had been kept",
      "      else giveUp(batch);",
      "      else release(batch);",
    ],
    [
      "acknowledged-though-refused",
      "while a store refuses writes, sends are taken into memory alone",
      "    if (held || writesOf(network, taken.changes).length > 0) perform",
      "    if (held) perform",
    ],
    [
      "never-written-again",
      "a store that refused writes once is not asked again",
      '    if (refusing === "waits" && ready) return ask();\n',
      "",
    ],
    [
      "connections-forgotten",
      "after a failed commit a node knows none of its connections",
      "    for (const fact of [...connected.values()]) run(fact);\n",
      "",
    ],
  ]),
  ...plantsIn("law", "core/engine/loaded-rows.ts", [
    [
      "rows-lost-on-load",
      "of a page of rows the last is not loaded",
      "  const read = rows.filter((row) => takeRow(network, context, fold, row));",
      "  const most = Math.max(1, rows.length - 1);\n" +
        "  const read = rows.slice(0, most).filter((row) => takeRow(network, context, fold, row));",
    ],
    [
      "loaded-is-not-folded",
      "what a store holds is not folded until something else comes",
      "  const read = rows.filter((row) => takeRow(network, context, fold, row));\n  fold.run();",
      "  const read = rows.filter((row) => takeRow(network, context, fold, row));",
    ],
  ]),
  ...plantsIn("law", "core/engine/step.ts", [
    [
      "deletes-are-not-written",
      "what leaves memory stays in the store",
      "if (record === undefined) return [{ table: name, key, bytes: null }];",
      "if (record === undefined) return [];",
    ],
  ]),
  ...plantsIn("classic", `${ADMISSION}/ingress.ts`, [
    [
      "no-oldest-date",
      "statements of any age are taken from peers",
      "return ageMsMax !== null && timestamp < now - BigInt(ageMsMax);",
      "return false;",
    ],
    [
      "no-newest-date",
      "statements of the future are taken",
      "return timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX) && !isTooOld",
      "return !isTooOld",
    ],
  ]),
  ...plantsIn("classic", `${ADMISSION}/admit.ts`, [
    [
      "sealed-records-change",
      "statements about sealed records are taken",
      '    if (isAboutSealed(reader, statement)) return { refused: "sealed" };\n',
      "",
    ],
  ]),
  ...plantsIn("classic", "core/engine/statements/fold.ts", [
    [
      "older-register-wins",
      "an older word of a register pushes out the newer one",
      "      if (older !== undefined && compareInRegister(older, statement) > 0) continue;\n",
      "",
    ],
    [
      "children-keep-waiting",
      "what waits for a parent is not taken when it comes",
      "          queue.push(child);\n",
      "",
    ],
    [
      "superseded-stays",
      "a word that was replaced stays in the set",
      "      if (older !== undefined) draft.put(Statements, older.identity, undefined);\n",
      "",
    ],
    [
      "folds-run-once",
      "what a fold marks in an earlier unit is forgotten",
      "        marked.delete(unit.name);\n",
      '        if (unit.name !== "reservation") marked.delete(unit.name);\n',
    ],
    [
      "orphans-attach",
      "a statement without a parent is taken for good",
      "    if (waits(statement)) {",
      "    if (waits(statement) && statement.timestamp % 2n === 0n) {",
    ],
  ]),
  ...plantsIn("classic", "core/engine/statements/counting.ts", [
    [
      "own-depth-keeps-oldest",
      "of a signer's words the oldest count",
      "group.sort(compareStatements).slice(-depth)",
      "group.sort(compareStatements).slice(0, depth)",
    ],
  ]),
  ...plantsIn("classic", "core/engine/statements/table.ts", [
    [
      "records-live-for-ever",
      "statements count whatever a record's life",
      "return since >= -BigInt(before) && since <= BigInt(lifeMs);",
      "return true;",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/receive.ts`, [
    [
      "signatures-not-asked",
      "a statement is taken whatever its signature",
      'if (verdict.form === undefined || !verdict.bound) return "fault";',
      'if (!verdict.bound) return "fault";',
    ],
    [
      "keys-not-bound",
      "a statement may be signed by another key than its author's",
      'if (verdict.form === undefined || !verdict.bound) return "fault";',
      'if (verdict.form === undefined) return "fault";',
    ],
    [
      "one-hop-only",
      "what a peer brought is not passed on",
      "if (clamped.ttl > 1) passOn(context, oneHopOn(context, clamped), from, statement !== null);",
      "",
    ],
    [
      "hops-never-end",
      "hop counts are not counted down",
      "({ ...event, ttl: event.ttl - 1 })",
      "({ ...event, ttl: event.ttl })",
    ],
    [
      "credit-for-all",
      "a peer may push as much as it likes",
      "    if (ingress === ingresses.push && !spendCredit(context, from, event.payload.length)) continue;\n",
      "",
    ],
    [
      "stream-names-people",
      "the stream of changes says who signed",
      'JSON.stringify(event)},"result":${JSON.stringify(id)}}`',
      'JSON.stringify(event)},"result":${JSON.stringify(id)},"by":${JSON.stringify(statement.signer)}}`',
    ],
    [
      "one-type-left-out",
      "a kind of statement is taken from no peer",
      'if (type.eventOf(payload as never) !== event.event_type) return "fault";',
      'if (type.eventOf(payload as never) !== event.event_type) return "fault";\n  if (type.name.endsWith("PaymentReversed/v1")) return "left";',
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/reconcile.ts`, [
    [
      "nothing-is-fetched",
      "what a comparison finds missing is not fetched",
      "  fetch(context, from, someOf(context, missing, NAMED_MAX), someOf(context, fetched, PREFIXES_MAX));\n",
      "",
    ],
    [
      "comparison-of-strangers",
      "nodes of other profiles are compared with",
      "asked !== undefined && hasOurRules(context, asked.profile)",
      "asked !== undefined",
    ],
    [
      "first-range-forgotten",
      "of the ranges that differ the first is passed over",
      "  for (const content of inTurn(context, answer.contents.slice(0, PREFIXES_MAX))) {",
      "  for (const content of inTurn(context, answer.contents.slice(answer.contents.length > 1 ? 1 : 0, PREFIXES_MAX))) {",
    ],
    [
      "prefixes-are-not-answered",
      "what is asked for by what it begins with is not answered",
      "    for (const identity of context.identities.below(part, NAMED_MAX - identities.size)) identities.add(identity);\n",
      "    if (part === undefined) break;\n",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/idle-ranges.ts`, [
    [
      "ranges-are-never-idle",
      "ranges in which nothing can move are looked into at every comparison",
      "  if (context.draft.get(ComparedRanges, key) === undefined) makeRoom(context, range.peer);\n",
      "  if (context.draft.get(ComparedRanges, key) === undefined) return;\n",
    ],
  ]),
  ...plantsIn("classic", `${GOSSIP}/originate.ts`, [
    [
      "own-words-stay-here",
      "what clients send is kept and told to nobody",
      "  passOn(context, signed, undefined, statement !== null);\n",
      "",
    ],
    [
      "worse-signature-travels",
      "the signature that older nodes take travels instead of the better one",
      "signature: tagged ?? bare",
      "signature: bare ?? tagged",
    ],
  ]),
  ...plantsIn("law", `${PROOFS}/queries.ts`, [
    [
      "nonces-never-spent",
      "a challenge answers twice",
      "  context.draft.put(SpentNonces, nonce, { expires_at: expiry as never });\n",
      "",
    ],
    [
      "proof-of-another-key",
      "a proof by one key opens another's records",
      "|| peerOfKey(key) !== wallet.peer)",
      "|| key.length === 0)",
    ],
    [
      "challenge-never-expires",
      "a challenge is answered whenever it comes",
      "  if (expiry < context.now) return",
      "  if (expiry < 0n) return",
    ],
    [
      "any-signature-proves",
      "a proof needs no signature",
      "  return proved ? ok(wallet.peer)",
      "  return proved || texts.length > 0 ? ok(wallet.peer)",
    ],
    [
      "proofs-of-any-domain",
      "a proof for one read opens every other",
      "utf8(`${domain}:${text}:${params.nonce}`)",
      "utf8(`openfiat-my-trades:${text}:${params.nonce}`)",
    ],
  ]),
  ...plantsIn("law", "core/domains/trade/reservations/schema.ts", [
    [
      "requester-is-public",
      "a public reservation names its requester",
      '"PublicReservation",\n  Reservation,',
      '"PublicReservation",\n  Reservation,\n  "requester",',
    ],
  ]),
  ...plantsIn("law", "core/domains/trade/settlements/schema.ts", [
    [
      "seller-is-public",
      "a public settlement names its seller",
      '"PublicSettlement",\n  Settlement,',
      '"PublicSettlement",\n  Settlement,\n  "seller",',
    ],
  ]),
  ...plantsIn("law", "core/domains/content/attachments/views.ts", [
    ["author-is-public", "a public attachment names its author", 'author: "",', "author: attachment.author,"],
  ]),
  ...plantsIn("law", "core/domains/trade/settlements/methods.ts", [
    [
      "reads-write",
      "a read of a settlement changes it",
      "const shown = settlementShown(reader, id, context);",
      "const shown = settlementShown(reader, id, context); if (shown) context.draft.put(Settlements, shown.identity, { ...shown.row, updated_at: context.now });",
    ],
    [
      "everybody-is-a-party",
      "a proof opens the settlements of all",
      "const own = settlementsOfParty(context.draft, wallet);",
      "const own = wallet ? allSettlements(context.draft) : settlementsOfParty(context.draft, wallet);",
    ],
  ]),
];
