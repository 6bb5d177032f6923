/**
 * What must come true in time once everything works again. Source: DESIGN section 5 "Phases".
 */
import type { World } from "./world.ts";

/** Whether something has come true; otherwise what is missing. */
export interface LivenessCheck {
  readonly name: string;
  readonly missing: (world: World) => string | undefined;
}
