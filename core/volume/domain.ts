/**
 * Settled volume: what was completed, asset by asset.
 */

import { defineDomain } from "../domain.ts";
import { volumeMethods } from "./methods.ts";

export const volume = defineDomain({ name: "volume", methods: volumeMethods });
