/** The logs page's frame. */
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";

export function LogsPage() {
  const { t } = useTranslation("logs");
  return <Page title={t("title")}>{null}</Page>;
}
