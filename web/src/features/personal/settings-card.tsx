/** The account's settings in tabs: its notifications, which prices it accepts, what its side bar shows, and what the log says of its calls. */
import { Tabs } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { useMutation } from "@tanstack/react-query";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Toggle } from "../../ui/form/fields.tsx";
import { NotificationForm } from "./notification-form.tsx";
import { type Account, saveSetting, useRefreshAccount } from "./queries.ts";
import styles from "./settings-card.module.css";

/** Whether the account may call models without a price. */
function PriceForm({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const refresh = useRefreshAccount();
  const save = useMutation({
    mutationFn: (isAccepted: boolean) => saveSetting({ accept_unset_model_ratio_model: isAccepted }),
    onSuccess: () => toast.success(t("settings.saved")),
    onSettled: refresh,
  });
  // While it is being saved it shows what was chosen; a refusal puts it back.
  const isOn = save.isPending ? save.variables : account.setting.accept_unset_model_ratio_model;
  return <Toggle isOn={isOn} onChange={save.mutate} label={t("prices.unset")} text={t("prices.unsetText")} />;
}

/** Whether the log has the addresses of the account's calls, where the site leaves it to people. */
function PrivacyForm({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const { client_address_log_required: isRequired } = useStatus();
  const refresh = useRefreshAccount();
  const save = useMutation({
    mutationFn: (isKept: boolean) => saveSetting({ record_ip_log: isKept }),
    onSuccess: () => toast.success(t("settings.saved")),
    onSettled: refresh,
  });
  const isOn = isRequired || (save.isPending ? save.variables : account.setting.record_ip_log);
  const text = isRequired ? t("privacy.required") : t("privacy.addressText");
  return <Toggle isOn={isOn} isDisabled={isRequired} onChange={save.mutate} label={t("privacy.address")} text={text} />;
}

const SidebarForm = lazy(async () => ({ default: (await import("./sidebar-form.tsx")).SidebarForm }));

export function SettingsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [tab, setTab] = useState("notifications");
  return (
    <Card title={t("settings.title")}>
      <Tabs value={tab} onChange={(next) => setTab(next ?? "notifications")}>
        <Tabs.List className={styles.tabs ?? ""}>
          <Tabs.Tab value="notifications">{t("settings.notifications")}</Tabs.Tab>
          <Tabs.Tab value="prices">{t("settings.prices")}</Tabs.Tab>
          <Tabs.Tab value="sidebar">{t("settings.sidebar")}</Tabs.Tab>
          <Tabs.Tab value="privacy">{t("settings.privacy")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="notifications" className={styles.panel ?? ""}>
          <NotificationForm account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="prices" className={styles.panel ?? ""}>
          <PriceForm account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="privacy" className={styles.panel ?? ""}>
          <PrivacyForm account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="sidebar" className={styles.panel ?? ""}>
          <Suspense fallback={null}>{tab === "sidebar" && <SidebarForm account={account} />}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
