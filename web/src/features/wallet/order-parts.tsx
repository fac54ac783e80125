/** Parts that show an order: its status, its method, its money. */
import type { OrderStatus, OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { language, useTranslation } from "../../lib/i18n.ts";
import { type DotTone, StatusDot } from "../../ui/display/tags.tsx";
import { moneyShown } from "./amount.ts";

const TONES: Readonly<Record<OrderStatus, DotTone>> = {
  pending: "blue",
  paid: "green",
  ended: "idle",
  cancelled: "idle",
  failed: "red",
  uncredited: "red",
  partly_refunded: "amber",
  refunded: "amber",
  disputed: "red",
};

export function OrderState({ status }: { status: OrderStatus }) {
  const { t } = useTranslation("wallet");
  return <StatusDot tone={TONES[status]}>{t(`status.${status}`)}</StatusDot>;
}

/** The name of a method; one that this version does not know is shown as it is. */
export function useMethodName(): (method: string) => string {
  const { t } = useTranslation("wallet");
  return (method) => t(`methods.${method}`, { defaultValue: method });
}

/** Money in the reader's language. */
export function useMoney(): (money: string, currency: string) => string {
  useTranslation();
  return (money, currency) => moneyShown(money, currency, language() === "zh" ? "zh-CN" : "en-US");
}

/** Refunds and disputes of a paid order: "¥3.00 refunded"; nothing where it stayed. */
export function useRefunds(): (order: OwnOrder) => string {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const isSome = (text: string) => Number(text) > 0;
  return ({ refunded, disputed, currency }) =>
    [
      isSome(refunded) && t("back.refunded", { money: money(refunded, currency) }),
      isSome(disputed) && t("back.disputed", { money: money(disputed, currency) }),
    ]
      .filter(Boolean)
      .join(t("back.separator"));
}
