/** The form of the users' drawers: its state, and its fields: the account, and what it may spend. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { QUOTA_PRESETS } from "../../../../contract/src/constants.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { amountText, signedQuota, signWidth, useQuotaView } from "../../ui/form/amount.ts";
import { formatQuota } from "../../lib/format.ts";
import { ChoiceSelect } from "../../ui/form/choice-select.tsx";
import { Field, FieldError, OptionalLabel, Presets } from "../../ui/form/fields.tsx";
import { PasswordRules } from "../../ui/form/password-rules.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { FormSection } from "../../ui/form/form-drawer.tsx";
import { balanceAfter, formErrors, formOf, NEW_USER_FORM, type UserField, type UserForm } from "./model/user-form.ts";
import styles from "./users.module.css";

/** Field of the form for a field the server refused. */
const FIELDS: Readonly<Record<string, UserField>> = {
  username: "username",
  display_name: "displayName",
  password: "password",
  group: "group",
  remark: "remark",
  quota_delta: "amount",
};

/** @param user the user to edit; undefined for a new one */
export function useUserForm(user?: ManagedUser) {
  const { t } = useTranslation("users");
  const view = useQuotaView();
  const form = useForm<UserForm, UserField>({
    start: () => (user === undefined ? NEW_USER_FORM : formOf(user)),
    check: (values) => formErrors(values, user, view),
    sentence: (key, values) => t(`form.errors.${key}`, values),
    refusedField: (name) => FIELDS[name],
  });
  return { ...form, view };
}

type UserFormState = ReturnType<typeof useUserForm>;

const ORDER = ["label", "input", "description", "error"] as const;

interface FieldsProps {
  state: UserFormState;
}

/** `isOwn`: name and password of one's own account are changed in the personal settings, with the old password. */
export function AccountFields({ state, isNew, isOwn }: FieldsProps & { isNew: boolean; isOwn: boolean }) {
  const { t } = useTranslation("users");
  const { values: form, change, errorOf } = state;
  const help = (field: "username" | "password", text: string) => (errorOf(field) ? undefined : text);
  return (
    <FormSection title={t("form.account")}>
      <TextInput
        data-autofocus={isOwn ? undefined : true}
        label={t("columns.name")}
        value={form.username}
        disabled={isOwn}
        autoComplete="off"
        spellCheck={false}
        inputWrapperOrder={[...ORDER]}
        description={help("username", t(isOwn ? "form.ownHelp" : "form.usernameHelp"))}
        error={errorOf("username")}
        onChange={(event) => change({ username: event.currentTarget.value })}
      />
      <TextInput
        label={<OptionalLabel>{t("form.displayName")}</OptionalLabel>}
        value={form.displayName}
        autoComplete="off"
        error={errorOf("displayName")}
        onChange={(event) => change({ displayName: event.currentTarget.value })}
      />
      {!isOwn && (
        <div>
          <PasswordInput
            label={isNew ? t("form.password") : <OptionalLabel>{t("form.newPassword")}</OptionalLabel>}
            value={form.password}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ "aria-label": t("form.showPassword") }}
            inputWrapperOrder={[...ORDER]}
            description={help("password", t(isNew ? "form.passwordHelp" : "form.newPasswordHelp"))}
            error={errorOf("password")}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
          {form.password !== "" && <PasswordRules password={form.password} names={[form.username]} />}
        </div>
      )}
      {!isNew && !isOwn && (
        <TextInput
          label={<OptionalLabel>{t("form.remark")}</OptionalLabel>}
          value={form.remark}
          autoComplete="off"
          inputWrapperOrder={[...ORDER]}
          description={errorOf("remark") ? undefined : t("form.remarkHelp")}
          error={errorOf("remark")}
          onChange={(event) => change({ remark: event.currentTarget.value })}
        />
      )}
    </FormSection>
  );
}

function Balance({ user, state }: FieldsProps & { user: ManagedUser }) {
  const { t } = useTranslation("users");
  const after = balanceAfter(state.values.amount, user.quota, state.view);
  const isNegative = after !== undefined && after < 0;
  return (
    <p className={styles.balance} role="status">
      <span>
        {t("form.balanceNow")} <b>{formatQuota(user.quota)}</b>
      </span>
      <span>
        {t("form.balanceAfter")}{" "}
        <b className={isNegative ? styles.negative : undefined}>{after === undefined ? "–" : formatQuota(after)}</b>
      </span>
    </p>
  );
}

function AmountField({ user, state }: FieldsProps & { user: ManagedUser }) {
  const { t } = useTranslation("users");
  const { values: form, change, errorOf, view } = state;
  const error = errorOf("amount");
  return (
    <div>
      <TextInput
        label={<OptionalLabel>{t("form.amount")}</OptionalLabel>}
        value={form.amount}
        inputMode="text"
        placeholder={view.sign === undefined ? "+500000" : "+5.00"}
        autoComplete="off"
        inputWrapperOrder={[...ORDER]}
        description={error ? undefined : t("form.amountHelp")}
        error={error}
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
        onChange={(event) => change({ amount: event.currentTarget.value })}
      />
      <Presets
        label={t("form.amount")}
        options={QUOTA_PRESETS.map((value) => ({ value, text: `+${formatQuota(value, 0)}` }))}
        value={QUOTA_PRESETS.find((value) => value === signedQuota(form.amount, view))}
        onPick={(value) => change({ amount: `+${amountText(value, view)}` })}
      />
      <Balance user={user} state={state} />
    </div>
  );
}

/** Group and balance. @param groups those that have a ratio */
export function AllowanceFields({
  user,
  state,
  groups,
}: FieldsProps & { user: ManagedUser; groups: readonly string[] }) {
  const { t } = useTranslation("users");
  const { values: form, change, errorOf } = state;
  // A group that lost its ratio stays until another is chosen.
  const names = groups.includes(user.group) ? groups : [user.group, ...groups];
  return (
    <FormSection title={t("form.allowance")}>
      <Field label={t("columns.group")} htmlFor="user-group" help={errorOf("group") ? undefined : t("form.groupHelp")}>
        <ChoiceSelect
          id="user-group"
          labelledBy="user-group-label"
          choices={names.map((name) => ({ value: name, text: name }))}
          value={form.group}
          onChange={(group) => change({ group })}
        />
        <FieldError error={errorOf("group")} />
      </Field>
      <AmountField user={user} state={state} />
    </FormSection>
  );
}
