/** The account's settings in two tabs: its notifications, and which prices it accepts. */
import { Tabs, PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMutation } from "@tanstack/react-query";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Toggle, OptionalLabel, Presets, Segmented } from "../../ui/form/fields.tsx";
import { type Account, saveSetting, useRefreshAccount } from "./queries.ts";
import styles from "./settings-card.module.css";
import { sendTestMessage } from "../../../../contract/src/features/personal.ts";
import { formatQuota } from "../../lib/format.ts";
import { call } from "../../lib/api.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { amountQuota, amountText, useQuotaView } from "../../ui/form/amount.ts";
import { useUnsavedGuard } from "../../ui/form/unsaved.ts";
import { sameNames, useForm } from "../../ui/form/use-form.ts";
import { StatusDot } from "../../ui/display/tags.tsx";
import {
  checkNotification,
  isSame,
  type NotificationFields,
  notificationForm,
  THRESHOLD_PRESETS,
} from "./model/notification.ts";

/** Sends the test message and shows what the receiver answered. @param isDirty what would be tested is not what the form shows */
function TestMessage({ isDirty }: { isDirty: boolean }) {
  const { t } = useTranslation("personal");
  const test = useMutation({ mutationFn: () => call(sendTestMessage, {}) });
  const { data: result } = test;
  return (
    <>
      <BusyButton isBusy={test.isPending} disabled={isDirty} onClick={() => test.mutate()}>
        {t("test.send")}
      </BusyButton>
      <span className={styles.hint}>{isDirty && t("test.saveFirst")}</span>
      {result && !isDirty && (
        <div className={styles.answer} role="status">
          <StatusDot tone={result.is_delivered ? "green" : "red"}>
            {result.is_delivered ? t("test.delivered") : t(`failure.${result.failure}`)}
          </StatusDot>
          {result.answer !== "" && <div>{t("test.answer", { answer: result.answer })}</div>}
        </div>
      )}
    </>
  );
}

const FIELDS = ["quota_warning_threshold", "notification_email", "webhook_url", "webhook_secret"] as const;

/** The form's values, what was saved of them, and saving. */
function useNotificationForm(account: Account) {
  const { t } = useTranslation("personal");
  const view = useQuotaView();
  const saved = notificationForm(account.setting, (quota) => amountText(quota, view));
  const read = (values: NotificationFields) => checkNotification(values, (text) => amountQuota(text, view));
  const form = useForm<NotificationFields, (typeof FIELDS)[number]>({
    start: () => saved,
    check: (values) => {
      const { wrong } = read(values);
      return wrong === undefined ? {} : { [wrong.field]: t(`notification.${wrong.key}`) };
    },
    refusedField: sameNames(FIELDS),
    onChange: "clear-all",
  });
  const refresh = useRefreshAccount();
  const save = async () => {
    if (form.isPending) return;
    const { body } = read(form.values);
    if (!(await form.submitConfirmed(() => saveSetting(body)))) return;
    // What belongs to the way that was not chosen was not sent: it is as it was.
    form.restart(notificationForm({ ...account.setting, ...body }, (quota) => amountText(quota, view)));
    await refresh();
    toast.success(t("settings.saved"));
  };
  return { ...form, save, isDirty: !isSame(form.values, saved), view };
}

type FormState = ReturnType<typeof useNotificationForm>;

function ThresholdField({ state }: { state: FormState }) {
  const { t } = useTranslation("personal");
  const { values: form, errorOf, change, view } = state;
  return (
    <div>
      <TextInput
        label={<OptionalLabel>{t("notification.threshold")}</OptionalLabel>}
        description={errorOf("quota_warning_threshold") ? undefined : t("notification.thresholdHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        inputMode="decimal"
        leftSection={view.isCurrency ? "$" : undefined}
        value={form.threshold}
        error={errorOf("quota_warning_threshold")}
        onChange={(event) => change({ threshold: event.currentTarget.value })}
      />
      <Presets
        label={t("notification.threshold")}
        options={THRESHOLD_PRESETS.map((quota) => ({ value: quota, text: formatQuota(quota, 2) }))}
        value={amountQuota(form.threshold, view)}
        onPick={(quota) => change({ threshold: amountText(quota, view) })}
      />
    </div>
  );
}

function WebhookFields({ state, hasSecret }: { state: FormState; hasSecret: boolean }) {
  const { t } = useTranslation("personal");
  const { values: form, errorOf, change } = state;
  return (
    <>
      <TextInput
        label={t("notification.url")}
        placeholder="https://"
        inputMode="url"
        description={errorOf("webhook_url") ? undefined : t("notification.urlHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={form.webhook_url}
        error={errorOf("webhook_url")}
        onChange={(event) => change({ webhook_url: event.currentTarget.value })}
      />
      <PasswordInput
        label={<OptionalLabel>{t("notification.secret")}</OptionalLabel>}
        autoComplete="off"
        placeholder={hasSecret ? t("notification.secretKept") : ""}
        description={t("notification.secretHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        visibilityToggleButtonProps={{ "aria-label": t("notification.showSecret") }}
        value={form.webhook_secret}
        error={errorOf("webhook_secret")}
        onChange={(event) => change({ webhook_secret: event.currentTarget.value })}
      />
    </>
  );
}

function MailField({ state, email }: { state: FormState; email: string }) {
  const { t } = useTranslation("personal");
  const { values: form, errorOf, change } = state;
  return (
    <TextInput
      label={<OptionalLabel>{t("notification.email")}</OptionalLabel>}
      type="email"
      autoComplete="email"
      placeholder={email}
      description={errorOf("notification_email") ? undefined : t("notification.emailHelp")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={form.notification_email}
      error={errorOf("notification_email")}
      onChange={(event) => change({ notification_email: event.currentTarget.value })}
    />
  );
}

/** Where notifications that are not about access go, mail or webhook; the balance below which the user is warned; and a test message. */
function NotificationForm({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const state = useNotificationForm(account);
  const { values: form, change, isPending, isDirty, save } = state;
  useUnsavedGuard(isDirty);
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Segmented
        label={t("notification.method")}
        options={[
          { value: "email", text: t("notification.byMail") },
          { value: "webhook", text: t("notification.byWebhook") },
        ]}
        value={form.notify_type}
        onChange={(notify_type) => change({ notify_type })}
      />
      {form.notify_type === "email" ? (
        <MailField state={state} email={account.email} />
      ) : (
        <WebhookFields state={state} hasSecret={account.setting.webhook_secret_set} />
      )}
      <ThresholdField state={state} />
      <div className={styles.foot}>
        <BusyButton type="submit" variant="filled" isBusy={isPending} disabled={!isDirty}>
          {t("settings.save")}
        </BusyButton>
        <TestMessage isDirty={isDirty} />
      </div>
    </form>
  );
}

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
