/** Upstream costs of a model by channel, as text: in the drawer, on a phone's card, and on hover in the table. */
import { type TFunction, useTranslation } from "../../../lib/i18n.ts";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { type PriceMargin, upstreamCosts } from "../model/margin.ts";
import { dollars } from "../model/units.ts";
import styles from "./editor.module.css";

/** "Lane: upstream cost $2.00 in, $8.00 out". */
export const costText = (t: TFunction, { channel, input, output, request }: PriceMargin["costs"][number]): string =>
  request === undefined
    ? t("editor.costOfTokens", { channel, input: dollars(input ?? "0"), output: dollars(output ?? "0") })
    : t("editor.costOfCall", { channel, price: dollars(request) });

/**
 * The cheapest and the dearest channel; nothing where no cost is known.
 * @param quotaPerUnit units of quota in one dollar
 */
export function UpstreamCosts({ row, quotaPerUnit }: { row: PriceRow | undefined; quotaPerUnit: string }) {
  const { t } = useTranslation("prices");
  if (row === undefined) return null;
  return upstreamCosts(row, quotaPerUnit).map((cost, index) => (
    // Two channels may have one name.
    <p key={index} className={styles.upstreamCost}>
      {costText(t, cost)}
    </p>
  ));
}
