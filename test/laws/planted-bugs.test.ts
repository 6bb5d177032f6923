/**
 * Goal: each law's check holds on the product, and names the law when a bug that breaks it is planted.
 * Method: bugs are source transformations while loading, never switches in the product.
 */
import { expect, test, vi } from "vitest";
import type * as CoreIndex from "../../core/index.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { brokenL1, brokenL3, brokenL4 } from "./laws.ts";

type Core = typeof CoreIndex;

function atWallTime<T>(ms: number, run: () => T): T {
  const clock = vi.spyOn(Date, "now").mockReturnValue(ms);
  try {
    return run();
  } finally {
    clock.mockRestore();
  }
}

const laws: readonly (readonly [string, (core?: Core) => string | undefined, PlantedBug])[] = [
  [
    "L3",
    brokenL3,
    {
      file: "core/domains/trade/disputes/rules.ts",
      find: "resolution: settlement.resolution,",
      replace: "resolution: settlement.resolution ?? revealed[2]?.payload.vote ?? null,",
    },
  ],
  [
    "L3",
    brokenL3,
    {
      file: "core/domains/trade/disputes/rules.ts",
      find: 'if (decided) return "Resolved";',
      replace: 'if (decided || counts.revealed >= REQUIRED_ARBITRATORS) return "Resolved";',
    },
  ],
  [
    "L4",
    brokenL4,
    {
      file: "core/domains/trade/reservations/schema.ts",
      find: '"PublicReservation",\n  Reservation,',
      replace: '"PublicReservation",\n  Reservation,\n  "requester",',
    },
  ],
  [
    "L4",
    brokenL4,
    {
      file: "core/engine/admission/validation-order.ts",
      find: "return firstOf(signature, named);",
      replace: "return firstOf(named, signature);",
    },
  ],
  [
    "L1",
    (core) => brokenL1(core, atWallTime),
    {
      file: "core/domains/trade/reservations/views.ts",
      find: 'return expired ? "Expired"',
      replace: 'return BigInt(Date.now()) > expiryOf(request) ? "Expired"',
    },
  ],
];

test.each(laws)("%s holds, and its planted bug is caught by name", async (law, broken, bug) => {
  expect(broken()).toBeUndefined();
  const found = await withPlantedBug(bug, async (load) => broken(await load<Core>("core/index.ts")));
  expect(found).toMatch(new RegExp(`^${law}:`));
});
