/** The form of the account's notifications: by which way they come, the balance below which it is warned, and a test of what is entered. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import { hasText, useTranslation } from "../../lib/i18n.ts";
import { sendTestMessage } from "../../../../contract/src/features/personal.ts";
import {
  fieldsOfWay,
  isNotificationWay,
  NOTIFICATION_WAY_NAMES,
  WAY_FIELDS,
  type WayField,
  type WayFieldName,
} from "../../../../contract/src/notification-ways.ts";
import { call } from "../../lib/api.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { StatusDot } from "../../ui/display/tags.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { amountQuota, amountText, signWidth, useQuotaView } from "../../ui/form/amount.ts";
import { ChoiceOnUse } from "../../ui/form/choice-on-use.tsx";
import { Field, OptionalLabel, Presets, Toggle } from "../../ui/form/fields.tsx";
import { useUnsavedGuard } from "../../ui/form/unsaved.ts";
import { sameNames, useForm } from "../../ui/form/use-form.ts";
import {
  checkNotification,
  isKept,
  isSame,
  keptOf,
  type NotificationFields,
  notificationForm,
  THRESHOLD_PRESETS,
  type Wrong,
} from "./model/notification.ts";
import { type Account, saveSetting, useRefreshAccount } from "./queries.ts";
import styles from "./settings-card.module.css";

const FIELD_NAMES: readonly Wrong["field"][] = ["quota_warning_threshold", ...WAY_FIELDS.map(([name]) => name)];

/** The form's values, what was saved of them, saving and testing. */
function useNotificationForm(account: Account) {
  const { t } = useTranslation("personal");
  const view = useQuotaView();
  const formOf = (setting: Account["setting"]) => notificationForm(setting, (quota) => amountText(quota, view));
  const saved = formOf(account.setting);
  const read = (values: NotificationFields) =>
    checkNotification(values, account.setting, (text) => amountQuota(text, view));
  const form = useForm<NotificationFields, Wrong["field"]>({
    start: () => saved,
    check: (values) => {
      const { wrong } = read(values);
      return wrong === undefined ? {} : { [wrong.field]: t(`notification.${wrong.key}`) };
    },
    refusedField: sameNames(FIELD_NAMES),
    onChange: "clear-all",
  });
  const refresh = useRefreshAccount();
  const test = useMutation({
    mutationFn: (values: NotificationFields) => call(sendTestMessage, { body: read(values).body }),
  });
  const save = async () => {
    if (form.isPending) return;
    const { body } = read(form.values);
    if (!(await form.submitConfirmed(() => saveSetting(body)))) return;
    // What belongs to the ways that were not chosen was not sent: it is as it was.
    const kept = Object.fromEntries(Object.entries(body).filter(([name]) => name in account.setting));
    const shown = formOf({ ...account.setting, ...kept });
    const sealed = fieldsOfWay(shown.notify_type).filter(([, { kind }]) => kind === "sealedAddress");
    form.restart({ ...shown, ...Object.fromEntries(sealed.map(([name]) => [name, ""])) });
    await refresh();
    toast.success(t("settings.saved"));
  };
  return { ...form, save, test, isDirty: !isSame(form.values, saved), view, setting: account.setting };
}

type FormState = ReturnType<typeof useNotificationForm>;

/** Sends the test message by what the form shows, and says what the receiver answered. */
function TestMessage({ state }: { state: FormState }) {
  const { t } = useTranslation("personal");
  const { test, values, submitConfirmed } = state;
  // What was tested is what the form still shows.
  const result = test.variables !== undefined && isSame(test.variables, values) ? test.data : undefined;
  return (
    <>
      <BusyButton isBusy={test.isPending} onClick={() => void submitConfirmed((sent) => test.mutateAsync(sent))}>
        {t("test.send")}
      </BusyButton>
      {result && (
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
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
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

/** Named in a help text; they are not values of ours. */
const PLACEHOLDERS = { title: "{{title}}", content: "{{content}}" };
const INPUT_MODES = { email: "email", address: "url", sealedAddress: "url", integer: "numeric", text: "text" } as const;

/** One field of a way. */
function WayInput({
  state,
  name,
  field,
  email,
}: {
  state: FormState;
  name: WayFieldName;
  field: WayField;
  email: string;
}) {
  const { t } = useTranslation("personal");
  const { values, errorOf, change, setting } = state;
  const kept = isKept(values, setting, name, field) ? keptOf(setting, name, field) : "";
  const shown =
    field.kind === "sealedAddress" ? t("notification.addressKept", { address: kept }) : t("notification.secretKept");
  const example = name === "notification_email" ? email : (field.example ?? "");
  const label = t(`wayField.${name}.label`);
  const help = `wayField.${name}.help`;
  const shared = {
    label: field.isRequired === true ? label : <OptionalLabel>{label}</OptionalLabel>,
    description: errorOf(name) || !hasText(`personal:${help}`) ? undefined : t(help, PLACEHOLDERS),
    inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description" | "error")[],
    placeholder: kept === "" ? example : shown,
    value: values[name],
    error: errorOf(name),
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  };
  if (field.kind === "secret")
    return (
      <PasswordInput
        {...shared}
        autoComplete="off"
        visibilityToggleButtonProps={{ "aria-label": t("notification.showSecret") }}
      />
    );
  const isMail = field.kind === "email";
  return (
    <TextInput
      {...shared}
      type={isMail ? "email" : "text"}
      autoComplete={isMail ? "email" : "off"}
      inputMode={INPUT_MODES[field.kind]}
    />
  );
}

/** Where notifications that are not about access go, the balance below which the user is warned, and a test message. */
export function NotificationForm({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const state = useNotificationForm(account);
  const id = useId();
  const { values: form, change, isPending, isDirty, save } = state;
  const { monthly_statement_enabled } = useStatus();
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
      <Field label={t("notification.method")} htmlFor={id}>
        <ChoiceOnUse
          id={id}
          labelledBy={`${id}-label`}
          choices={NOTIFICATION_WAY_NAMES.map((way) => ({ value: way, text: t(`way.${way}`) }))}
          value={form.notify_type}
          onChange={(way) => isNotificationWay(way) && change({ notify_type: way })}
        />
      </Field>
      {fieldsOfWay(form.notify_type).map(([name, field]) => (
        <WayInput key={name} state={state} name={name} field={field} email={account.email} />
      ))}
      <ThresholdField state={state} />
      {monthly_statement_enabled && (
        <Toggle
          isOn={state.values.monthly_statement}
          onChange={(isOn) => state.change({ monthly_statement: isOn })}
          label={t("notification.statement")}
          text={t("notification.statementText")}
        />
      )}
      <div className={styles.foot}>
        <BusyButton type="submit" variant="filled" isBusy={isPending} disabled={!isDirty}>
          {t("settings.save")}
        </BusyButton>
        <TestMessage state={state} />
      </div>
    </form>
  );
}
