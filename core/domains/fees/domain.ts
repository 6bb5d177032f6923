/**
 * Fees: what services have earned, and what their fee comes to in another token. Source: protocol 05 §2.
 */

import { defineDomain } from "../../engine/domain.ts";
import { feeMethods } from "./methods.ts";

export const fees = defineDomain({ name: "fees", methods: feeMethods });
