/**
 * Node information: version, health, and the peers that were met. Source: protocol 01 §12.
 */

import { defineDomain } from "../../engine/domain.ts";
import { nodeMethods } from "./methods.ts";

export const nodeInfo = defineDomain({ name: "node-info", methods: nodeMethods });
