/**
 * How a world opens nodes: the core's own driver, or something of its shape.
 */
import type { NodeDriver, NodeOptions } from "../core/index.ts";

export type OpenDriver = (options: NodeOptions) => NodeDriver;
