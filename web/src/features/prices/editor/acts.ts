/** Going back to the price list: for one model, for those selected, or for all, each after a question that says how many. */
import { useTranslation } from "react-i18next";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { hasOwnPrice } from "../../../../../contract/src/pricing/own-prices.ts";
import { formatNumber } from "../../../lib/format.ts";
import { apart } from "../../../lib/names.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { backToList } from "../model/bulk.ts";
import { useChangePrices, useResetPrices } from "../queries.ts";

/** True where it was done. */
export interface BackActs {
  rows: (rows: readonly PriceRow[]) => Promise<boolean>;
  all: (rows: readonly PriceRow[]) => Promise<boolean>;
}

export function useBackToList(): BackActs {
  const { t } = useTranslation("prices");
  const change = useChangePrices();
  const reset = useResetPrices();
  const run = async (act: () => Promise<unknown>, count: number): Promise<boolean> => {
    try {
      await act();
      toast.success(t("editor.back.done", { count, formatted: formatNumber(count) }));
      return true;
    } catch (error) {
      toast.error(error, t("editor.back.failed"));
      return false;
    }
  };
  const ask = (own: readonly PriceRow[], title: string): Promise<boolean> => {
    const gone = own.filter(({ list_price: listed }) => listed === null).length;
    const text =
      gone === 0 ? t("editor.back.text") : t("editor.back.unlisted", { count: gone, formatted: formatNumber(gone) });
    return confirm({ title, text, action: t("editor.back.action") });
  };
  const ownOf = (rows: readonly PriceRow[]) => rows.filter(({ own }) => hasOwnPrice(own));
  return {
    rows: async (rows) => {
      const own = ownOf(rows);
      if (own.length === 0) {
        toast.info(t("editor.back.nothing"));
        return false;
      }
      const [first] = own;
      const title =
        own.length === 1 && first !== undefined
          ? t("editor.back.title", { model: apart(first.model) })
          : t("editor.back.titleMany", { count: own.length, formatted: formatNumber(own.length) });
      return (await ask(own, title)) && run(() => change.mutateAsync(backToList(own)), own.length);
    },
    all: async (rows) => {
      const own = ownOf(rows);
      const title = t("editor.back.titleAll", { count: own.length, formatted: formatNumber(own.length) });
      return (await ask(own, title)) && run(() => reset.mutateAsync(), own.length);
    },
  };
}
