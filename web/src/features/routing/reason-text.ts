/** The reason why a channel is not tried, in the words that receipts have for it. */
import { useTranslation } from "react-i18next";
import type { RouteOut } from "../../../../contract/src/features/routing.ts";

export function useReasonText(): (reason: RouteOut["reason"]) => string {
  const { t } = useTranslation("logs");
  return ({ code, values }) => t(`skip.${code}`, { ...values });
}
