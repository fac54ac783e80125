/** What the account is told and where, and which prices it accepts: two tabs. */
import { Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/display/card.tsx";
import { NotificationForm } from "./notification-form.tsx";
import { PriceForm } from "./price-form.tsx";
import type { Account } from "../queries.ts";
import styles from "./settings-card.module.css";

export function SettingsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  return (
    <Card title={t("settings.title")}>
      <Tabs defaultValue="notifications">
        <Tabs.List className={styles.tabs ?? ""}>
          <Tabs.Tab value="notifications">{t("settings.notifications")}</Tabs.Tab>
          <Tabs.Tab value="prices">{t("settings.prices")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="notifications" className={styles.panel ?? ""}>
          <NotificationForm account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="prices" className={styles.panel ?? ""}>
          <PriceForm account={account} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
