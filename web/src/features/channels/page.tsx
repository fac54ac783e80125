/** The channels page's frame. */
import { useTranslation } from "react-i18next";
import { Page } from "../../ui/page.tsx";

export function ChannelsPage() {
  const { t } = useTranslation("channels");
  return <Page title={t("title")}>{null}</Page>;
}
