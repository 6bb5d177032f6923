/**
 * Session methods: public reads, and the validation orders of what a wallet sends about its own sessions.
 * Source: OFS-1400; protocol 04 §5.5, §5.7, §5.11.
 */

import type {
  Candidate,
  CheckResult,
  ValidationOrder,
  ValidationView,
} from "../../engine/admission/validation-order.ts";
import {
  commonChecks,
  firstOf,
  keyChecks,
  refuseWhen,
  signatureCheck,
} from "../../engine/admission/validation-order.ts";
import { call, idParams, mutation, query, signedTypes } from "../../engine/method.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { contenders } from "../../engine/statements/table.ts";
import { err, ok } from "../../kernel/result.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later, Text, walletNamed } from "../../kernel/values.ts";
import { isWithinBounds, Session, SessionCreate, SessionMigrate, SessionRenew, SessionRevoke } from "./schema.ts";
import { isRead, sessionBehind, sessionById, sessionsOfWallet } from "./views.ts";

/** How far ahead of this node's clock a session may end, in milliseconds: 30 days. Source: protocol 04 §5.11. */
export const SESSION_LIFETIME_MS_MAX = 2_592_000_000;

const establishErrors = [
  "INVALID_SIGNATURE",
  "INVALID_REQUEST",
  "INVALID_PARAMETER",
  "RESOURCE_ALREADY_EXISTS",
] as const;
const revokeErrors = [
  "RESOURCE_NOT_FOUND",
  "INVALID_REQUEST",
  "INVALID_SIGNATURE",
  "INVALID_PARAMETER",
  "SESSION_REVOKED",
] as const;
/** A stale version answers INVALID_REQUEST too, after SESSION_REVOKED. */
const moveErrors = [...revokeErrors, "SESSION_EXPIRED"] as const;

/** Source: protocol 04 §5.5, §5.11. */
const establishChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as SessionCreate;
  return firstOf(
    () => keyChecks(candidate, "INVALID_REQUEST"),
    () => commonChecks(view, candidate),
    () =>
      refuseWhen(
        !ruleOf(view.configuration, endsInTime)(view, payload.expires_at),
        "INVALID_PARAMETER",
        "ends-too-late",
      ),
    () => refuseWhen(!isWithinBounds(payload), "INVALID_PARAMETER", "out-of-bounds"),
    () => refuseWhen(contenders(view.reader, "session", payload.id).length > 0, "RESOURCE_ALREADY_EXISTS"),
  );
};

/** The checks of everything about a session: it is known, its wallet signed, it is not revoked. */
function followUpChecks(
  own: (view: ValidationView, candidate: Candidate, session: Session) => CheckResult,
): ValidationOrder {
  return (view, candidate) => {
    const behind = ruleOf(view.configuration, sessionBehind);
    const { session_id } = candidate.payload as { readonly session_id: string };
    const found = contenders<SessionCreate>(view.reader, "session", session_id).flatMap((create) => {
      const session = behind(view.reader, create);
      return session === undefined ? [] : [session];
    });
    const mine = found.filter((session) => session.wallet === candidate.statement.signer);
    return firstOf(
      () => refuseWhen(found.length === 0, "RESOURCE_NOT_FOUND"),
      () => refuseWhen(mine.length === 0, "INVALID_REQUEST", "not-a-party"),
      () => signatureCheck(candidate.verdict),
      () => commonChecks(view, candidate),
      () => refuseWhen(mine.length > 1, "INVALID_PARAMETER", "ambiguous"),
      () => mine.map((session) => own(view, candidate, session))[0],
    );
  };
}

const revokeChecks = followUpChecks((_, __, session) => refuseWhen(session.revoked, "SESSION_REVOKED"));

const renewChecks = followUpChecks((view, candidate, session) =>
  firstOf(
    () =>
      refuseWhen(
        !ruleOf(view.configuration, endsInTime)(view, newEndOf(candidate)),
        "INVALID_PARAMETER",
        "ends-too-late",
      ),
    () => movable(view, candidate, session),
  ),
);

function newEndOf({ payload }: Candidate): EpochMillis {
  return (payload as SessionRenew).new_expires_at;
}

const migrateChecks = followUpChecks(movable);

/** A move needs a greater version and a session that has not expired, by this node's clock and by its own date. */
function movable(view: ValidationView, { payload, statement }: Candidate, session: Session): CheckResult {
  const { version } = payload as { readonly version: bigint };
  const isExpired = ruleOf(view.configuration, hasExpired);
  return firstOf(
    () => refuseWhen(session.revoked, "SESSION_REVOKED"),
    () => refuseWhen(version <= session.version, "INVALID_REQUEST", "version-not-greater"),
    () => refuseWhen(isExpired(session, view.now, statement.timestamp), "SESSION_EXPIRED"),
  );
}

/** Whether a session has expired, by this node's clock or by the date of who moves it. Source: protocol 04 §5.11. */
export function hasExpired({ expires_at }: Session, now: EpochMillis, moved: EpochMillis): boolean {
  return expires_at <= now || expires_at <= moved;
}

/** Whether a session ends soon enough. Source: protocol 04 §5.11. */
export function endsInTime({ now }: ValidationView, end: EpochMillis): boolean {
  return end <= later(now, SESSION_LIFETIME_MS_MAX);
}

export const sessionMethods = {
  getSession: query({
    params: idParams,
    result: option(Session),
    source: "OFS-8200 §6; protocol 04 §5.7",
    doc: "One session, expired and revoked ones included; null when the id is unknown.",
    read(reader, { id }, { configuration, now }) {
      const session = sessionById(reader, id, configuration.rules);
      return session !== undefined && isRead(session, now) ? session : null;
    },
  }),
  getSessionsByWallet: call({
    kind: "query",
    params: struct("WalletParams", { wallet: Text }),
    result: list(Session),
    source: "OFS-1400; protocol 04 §5.7",
    doc: "The sessions of a wallet, expired and revoked ones included, in order of id.",
    run({ draft, configuration, now }, { wallet }) {
      const peer = ruleOf(configuration, walletNamed)(wallet);
      if (peer === undefined) return err({ type: "params", reason: "wallet must be a peer id in base64 or base58" });
      return ok(sessionsOfWallet(draft, peer, configuration.rules).filter((session) => isRead(session, now)));
    },
  }),
  sendSessionEstablish: mutation({
    signed: signedTypes(SessionCreate),
    checks: establishChecks,
    answers: "id",
    errors: establishErrors,
    source: "OFS-1400; protocol 04 §5.5",
    doc: "Authorises a client on a host node until an instant.",
  }),
  sendSessionRenew: mutation({
    signed: signedTypes(SessionRenew),
    checks: renewChecks,
    answers: "null",
    errors: moveErrors,
    source: "OFS-1400; protocol 04 §5.5",
    doc: "Moves the end of a session.",
  }),
  sendSessionRevoke: mutation({
    signed: signedTypes(SessionRevoke),
    checks: revokeChecks,
    answers: "null",
    errors: revokeErrors,
    source: "OFS-1400; protocol 04 §5.5",
    doc: "Ends a session for ever.",
  }),
  sendSessionMigrate: mutation({
    signed: signedTypes(SessionMigrate),
    checks: migrateChecks,
    answers: "null",
    errors: moveErrors,
    source: "OFS-1400; protocol 04 §5.5",
    doc: "Moves a session to another host node.",
  }),
};
