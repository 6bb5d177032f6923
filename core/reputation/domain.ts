/**
 * Reputation: what the records of a wallet add up to.
 */

import { defineDomain } from "../domain.ts";
import { reputationMethods } from "./methods.ts";

export const reputation = defineDomain({ name: "reputation", methods: reputationMethods });
