/** A short mark of the default prices beside the data set: where they change with an upgrade, a new price version begins. */
import { createHash } from "node:crypto";
import { DEFAULT_RATIOS } from "../../../contract/src/pricing/pricing.ts";
import { AUDIO_RATIOS_BY_NAME, DEFAULT_CALL_PRICES, DEFAULT_RATIO_ROWS, LISTED_AS } from "./default-tables.ts";

/** Of the rules by which data-set.ts makes ratios of listed prices and prices.ts finds them; raised with them, as no table tells of it. */
const RULES_EDITION = 3;
const MARK_DIGITS = 12;

export const DEFAULTS_MARK: string = createHash("sha256")
  .update(
    JSON.stringify([
      RULES_EDITION,
      DEFAULT_RATIOS,
      [...DEFAULT_CALL_PRICES],
      [...DEFAULT_RATIO_ROWS],
      [...LISTED_AS],
      AUDIO_RATIOS_BY_NAME,
    ]),
  )
  .digest("hex")
  .slice(0, MARK_DIGITS);
