/** The steps of the wizard: the administrator, and how the site is used. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FieldError } from "../../ui/form/fields.tsx";
import { PasswordRules } from "../../ui/form/password-rules.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { type AccountError, type SetupForm, USAGE_MODES } from "./rules.ts";
import styles from "./page.module.css";

export interface StepProps {
  form: SetupForm;
  change: (part: Partial<SetupForm>) => void;
}

function Heading({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h2 className={styles.heading} tabIndex={-1}>
        {title}
      </h2>
      <p className={styles.sentence}>{text}</p>
    </>
  );
}

export function AdministratorStep({ form, change, error }: StepProps & { error: AccountError | undefined }) {
  const { t } = useTranslation("setup");
  const errorOf = (field: AccountError["field"]) =>
    error?.field === field ? <FieldError error={t(`errors.${error.key}`)} /> : undefined;
  const toggle = { "aria-label": t("administrator.showPassword") };
  return (
    <>
      <Heading title={t("administrator.title")} text={t("administrator.text")} />
      <div className={styles.fields}>
        <TextInput
          label={t("administrator.username")}
          name="username"
          autoComplete="username"
          maxLength={12}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={errorOf("username") ? undefined : t("administrator.usernameHelp")}
          value={form.username}
          error={errorOf("username")}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ username: event.currentTarget.value })}
        />
        <div>
          <PasswordInput
            label={t("administrator.password")}
            name="password"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            value={form.password}
            error={errorOf("password")}
            errorProps={{ component: "div" }}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
          <PasswordRules password={form.password} names={[form.username]} />
        </div>
        <PasswordInput
          label={t("administrator.confirm")}
          name="confirmPassword"
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          value={form.confirmPassword}
          error={errorOf("confirmPassword")}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ confirmPassword: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

export function UsageStep({
  form,
  change,
  hasRoot,
  isCodeAsked,
  codeError,
}: StepProps & { hasRoot: boolean; isCodeAsked: boolean; codeError: string | undefined }) {
  const { t } = useTranslation("setup");
  return (
    <>
      <Heading title={t("usage.title")} text={t("usage.text")} />
      {hasRoot && <Notice tone="blue">{t("administrator.exists")}</Notice>}
      <div className={styles.choices} role="radiogroup" aria-label={t("usage.title")}>
        {USAGE_MODES.map((mode) => (
          <label key={mode} className={styles.choice}>
            <input
              type="radio"
              name="usageMode"
              value={mode}
              checked={form.usageMode === mode}
              onChange={() => change({ usageMode: mode })}
            />
            <span>
              <b>{t(`modes.${mode}.name`)}</b>
              <span>{t(`modes.${mode}.text`)}</span>
            </span>
          </label>
        ))}
      </div>
      {isCodeAsked && (
        <TextInput
          className={styles.code ?? ""}
          label={t("code.label")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={codeError ? undefined : t("code.help")}
          autoComplete="one-time-code"
          spellCheck={false}
          value={form.code}
          error={codeError && <FieldError error={codeError} />}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ code: event.currentTarget.value })}
        />
      )}
    </>
  );
}
