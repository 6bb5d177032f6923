/**
 * How a world opens nodes: the core's own driver, or something of its shape.
 */
import type { DriverOptions, NodeDriver } from "../core/index.ts";

export type OpenDriver = (options: DriverOptions) => NodeDriver;
