/** The unit that quota is shown in, from its options; `DisplayInCurrencyEnabled` and `general_setting.quota_display_type` are one setting. */
import type { QuotaDisplay, QuotaDisplaySettings } from "../quota-display.ts";
import { quotaDisplay } from "../quota-display.ts";

const SWITCH = "DisplayInCurrencyEnabled";
const TYPE = "general_setting.quota_display_type";

type Texts = ReadonlyMap<string, string>;

/**
 * Stored texts in which both options agree: the type decides where it is stored; where only the switch is (of one-api, and of sites from
 * before the type), off means plain units.
 */
export function withOneQuotaUnit(stored: Texts): Texts {
  const type = stored.get(TYPE) ?? (stored.get(SWITCH) === "false" ? "TOKENS" : undefined);
  if (type === undefined) return stored;
  return new Map([...stored, [TYPE, type], [SWITCH, String(type !== "TOKENS")]]);
}

/** A change of one of the two, with what the other one then is: on brings dollars back, unless a currency is shown already. */
export function withBothQuotaOptions(changes: Texts, stored: Texts): Texts {
  const type = changes.get(TYPE);
  if (type !== undefined) return new Map([...changes, [SWITCH, String(type.trim() !== "TOKENS")]]);
  const isOn = changes.get(SWITCH);
  if (isOn === undefined) return changes;
  const now = withOneQuotaUnit(stored).get(TYPE) ?? "USD";
  const next = isOn === "false" ? "TOKENS" : now === "TOKENS" ? "USD" : now;
  return new Map([...changes, [TYPE, next]]);
}

/** The options that say how quota is shown. */
interface QuotaOptions {
  readonly QuotaPerUnit: number;
  readonly USDExchangeRate: string;
  readonly "general_setting.quota_display_type": QuotaDisplaySettings["type"];
  readonly "general_setting.custom_currency_symbol": string;
  readonly "general_setting.custom_currency_exchange_rate": string;
}

/** How the site shows quota, as its options are set. */
export const quotaDisplayOf = (options: QuotaOptions): QuotaDisplay =>
  quotaDisplay({
    type: options["general_setting.quota_display_type"],
    quotaPerUnit: String(options.QuotaPerUnit),
    usdExchangeRate: options.USDExchangeRate,
    customSign: options["general_setting.custom_currency_symbol"],
    customRate: options["general_setting.custom_currency_exchange_rate"],
  });
