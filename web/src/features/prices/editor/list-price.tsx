/** A price in one line: what the list says, what another user stored, what a bulk change makes of it. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import type { Translate } from "./columns.tsx";
import { priceOf } from "../model/rows.ts";
import { dollars } from "../model/units.ts";
import styles from "./editor.module.css";

const DIGITS = 6;

/** "$2.50 in, $10.00 out", "$0.04 a request", "no price". */
export function priceWords(t: Translate, price: ModelPrice | undefined, quotaPerUnit: string): string {
  if (price === undefined) return t("editor.noPrice");
  if (price.kind === "per_call") return t("common.words.call", { price: dollars(price.price) });
  const usd = (part: "input" | "output") => dollars(usdPerMillionText(part, price, "1", quotaPerUnit, DIGITS));
  const words = t("common.words.tokens", { input: usd("input"), output: usd("output") });
  return price.tiers === undefined ? words : t("common.words.tiers", { words, count: price.tiers.length });
}

/** The list's price above the form; nothing where the list does not have the model. */
export function ListPrice({ row, quotaPerUnit }: { row: PriceRow | undefined; quotaPerUnit: string }) {
  const { t } = useTranslation("prices");
  if (row === undefined) return null;
  const words = priceWords(t, priceOf(row.list_price), quotaPerUnit);
  return (
    <p className={styles.listPrice}>
      {row.list_price === null ? t("editor.form.notListed") : t("editor.form.listed", { words })}
    </p>
  );
}
