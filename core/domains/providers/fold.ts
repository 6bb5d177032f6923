/**
 * The service fold: a provider's newest registration, with what it said of the service's health and of
 * leaving. Each is a register of its signer. Source: protocol 05 §14.1; CONVERGENCE "Small folds".
 */

import type { FoldUnit, Mark } from "../../engine/statements/fold.ts";
import { inRegister } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { PeerId } from "../../kernel/values.ts";
import { brandingKept, validationErrorOf } from "./listing.ts";
import { HealthUpdate, Registration, Withdrawal } from "./schema.ts";
import type { Service } from "./tables.ts";
import { Services, serviceKey } from "./tables.ts";

const SERVICE_UNIT = "service";

export const serviceFold: FoldUnit = {
  name: SERVICE_UNIT,
  touches: { [Registration.name]: markOwn, [HealthUpdate.name]: markOwn, [Withdrawal.name]: markOwn },
  refold(draft, key) {
    const slash = key.indexOf("/");
    const provider = key.slice(0, slash) as PeerId;
    const id = key.slice(slash + 1);
    const registration = inRegister<Registration>(draft, Registration, provider, id);
    const listed = registration !== undefined && validationErrorOf(registration.payload) === undefined;
    if (!listed) {
      if (draft.get(Services, key) !== undefined) draft.put(Services, key, undefined);
      return;
    }
    const health = inRegister<HealthUpdate>(draft, HealthUpdate, provider, id);
    const withdrawal = inRegister<Withdrawal>(draft, Withdrawal, provider, id);
    draft.put(Services, key, serviceOf(registration, health, withdrawal));
  },
};

/** The record: health counts unless it is older than the registration, a withdrawal if it is not. */
function serviceOf(
  registration: Statement<Registration>,
  health: Statement<HealthUpdate> | undefined,
  withdrawal: Statement<Withdrawal> | undefined,
): Service {
  const { timestamp, ...declared } = registration.payload;
  const current = health !== undefined && health.timestamp >= timestamp ? health : undefined;
  const out = withdrawal !== undefined && withdrawal.timestamp >= timestamp;
  return {
    health: current?.payload.state ?? "Online",
    registered_at: timestamp,
    last_health_update: current?.timestamp ?? timestamp,
    registration: registration.identity,
    withdrawn_at: out ? withdrawal.timestamp : null,
    ...declared,
    branding: brandingKept(declared.branding),
  };
}

function markOwn(_: unknown, { signer, payload }: Statement, mark: Mark): void {
  mark(SERVICE_UNIT, serviceKey(signer, (payload as { readonly service_id: string }).service_id));
}
