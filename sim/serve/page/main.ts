/**
 * The page of a served network. It calls the control port that it came from and nobody else. Source: DESIGN section 6
 * "serve".
 */
import { openApi } from "./api.ts";
import { beginPage } from "./begin.ts";

beginPage(openApi());
