/**
 * Lets this process import TypeScript: every launcher imports it before the first `.ts` file.
 */
import { register } from "tsx/esm/api";

register();
