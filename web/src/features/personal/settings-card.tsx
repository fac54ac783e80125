/** The account's settings in tabs: its notifications, which prices it accepts, what its side bar shows, and what the log says of its calls. */
import { type ComponentType, lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { useMutation } from "@tanstack/react-query";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Toggle } from "../../ui/form/fields.tsx";
import { PageTabs } from "../../ui/page-tabs.tsx";
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

const TABS = ["notifications", "prices", "sidebar", "privacy"] as const;
const FORMS: Readonly<Record<(typeof TABS)[number], ComponentType<{ account: Account }>>> = {
  notifications: NotificationForm,
  prices: PriceForm,
  sidebar: SidebarForm,
  privacy: PrivacyForm,
};

export function SettingsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [open, setOpen] = useState<(typeof TABS)[number]>("notifications");
  const tabs = TABS.map((name) => ({ name, text: t(`settings.${name}`) }));
  return (
    <Card title={t("settings.title")}>
      <div className={styles.tabs}>
        <PageTabs label={t("settings.title")} tabs={tabs} open={open} onOpen={setOpen} />
      </div>
      {TABS.map((name) => {
        const Form = FORMS[name];
        // What was typed stays while another tab is looked at.
        return (
          <div key={name} hidden={name !== open}>
            <Suspense fallback={null}>{(name === open || Form !== SidebarForm) && <Form account={account} />}</Suspense>
          </div>
        );
      })}
    </Card>
  );
}
