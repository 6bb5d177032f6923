/**
 * Settled volume: what was completed, asset by asset. Source: protocol 02 F.
 */

import { defineDomain } from "../../engine/domain.ts";
import { volumeMethods } from "./methods.ts";

export const volume = defineDomain({ name: "volume", methods: volumeMethods });
