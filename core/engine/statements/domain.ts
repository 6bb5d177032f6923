/**
 * The set itself, which every network has: accepted statements, those that wait for a parent, and what is sealed.
 * Source: CONVERGENCE "Three layers".
 */

import { defineDomain } from "../domain.ts";
import { Pending, Seals, Statements } from "./table.ts";

export const statements = defineDomain({ name: "statements", records: [Statements, Pending], tables: [Seals] });
