/**
 * Reputation: what the records of a wallet add up to. Source: protocol 04 §2.
 */

import { defineDomain } from "../../engine/domain.ts";
import { reputationMethods } from "./methods.ts";

export const reputation = defineDomain({ name: "reputation", methods: reputationMethods });
