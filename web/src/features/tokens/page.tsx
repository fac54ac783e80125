/** The tokens page's frame. */
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";

export function TokensPage() {
  const { t } = useTranslation("tokens");
  return <Page title={t("title")}>{null}</Page>;
}
