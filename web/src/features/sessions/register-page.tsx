/** The registration page: name and password, a code by mail where the site verifies addresses, and the invitation that led here. */
import { Link, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { wantedAddress } from "../../lib/next-address.ts";
import { useStatus } from "../../lib/status.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { otherWays } from "../../ui/identities/ways.ts";
import { PasswordRules } from "../../ui/form/password-rules.tsx";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import { useInviteCode } from "./invite-code.ts";
import { OtherWays } from "./other-ways.tsx";
import styles from "./page.module.css";
import { useRegistration } from "./use-registration.ts";
import type { Registration } from "./use-registration.ts";
import { useHumanCheck } from "./use-human-check.tsx";
import { useTwoSteps } from "./use-two-steps.tsx";

function CodeFields({ registration }: { registration: Registration }) {
  const { t } = useTranslation("sessions");
  const { field, code } = registration;
  return (
    <>
      <div className={styles.withButton}>
        <PlainField label={t("registration.email")} type="email" autoComplete="email" {...field("email")} />
        <PlainButton isLarge isBusy={code.isBusy} aria-disabled={code.left > 0 || undefined} onClick={code.ask}>
          {code.left > 0 ? t("registration.again", { count: code.left }) : t("registration.getCode")}
        </PlainButton>
      </div>
      {code.isSent && <Notice tone="blue">{t("registration.codeSent")}</Notice>}
      <PlainField
        label={t("registration.code")}
        inputMode="numeric"
        autoComplete="one-time-code"
        {...field("verification_code")}
      />
    </>
  );
}

function RegisterForm() {
  const { t } = useTranslation("sessions");
  const { email_verification } = useStatus();
  const check = useHumanCheck();
  const registration = useRegistration(check);
  const { field, error, isBusy, form, onSubmit } = registration;
  return (
    <form ref={form} className={styles.form} onSubmit={onSubmit} noValidate>
      {error && <Notice tone="red">{error}</Notice>}
      <PlainField
        label={t("registration.username")}
        hint={t("registration.usernameHint")}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        {...field("username")}
      />
      <div>
        <PlainPassword
          label={t("registration.password")}
          autoComplete="new-password"
          toggleLabel={t("showPassword")}
          {...field("password")}
        />
        <PasswordRules password={field("password").value} names={[field("username").value, field("email").value]} />
      </div>
      <PlainPassword
        label={t("registration.password2")}
        autoComplete="new-password"
        toggleLabel={t("showPassword")}
        {...field("password2")}
      />
      {email_verification && <CodeFields registration={registration} />}
      {check.widget}
      <PlainButton type="submit" look="filled" isLarge isBusy={isBusy}>
        {t("register")}
      </PlainButton>
    </form>
  );
}

/** The form, and accounts of other sites; who has one here already is logged in by it. */
function Ways() {
  const { t } = useTranslation("sessions");
  const status = useStatus();
  const { second, onLogin, refusal } = useTwoSteps();
  if (second !== undefined) return second;
  const hasOthers = otherWays(status).length > 0;
  return (
    <>
      {refusal !== "" && <Notice tone="red">{refusal}</Notice>}
      {status.password_register && <RegisterForm />}
      {!status.password_register && (
        <Notice tone="blue">{t(hasOthers ? "registration.othersOnly" : "registration.passwordOff")}</Notice>
      )}
      <OtherWays isBelowForm={status.password_register} onLogin={onLogin} />
    </>
  );
}

export function RegisterPage() {
  const { t } = useTranslation("sessions");
  const { system_name, register_enabled } = useStatus();
  const { aff, next } = useSearch({ from: "/open/register" });
  useInviteCode(aff);
  return (
    <EntryPage name={t("register")} title={t("registration.title", { name: system_name })}>
      {register_enabled ? <Ways /> : <Notice tone="blue">{t("registration.off")}</Notice>}
      <EntryLinks>
        <span>
          {t("hasAccount")}{" "}
          <Link to="/login" search={wantedAddress(next ?? "")}>
            {t("logIn")}
          </Link>
        </span>
      </EntryLinks>
    </EntryPage>
  );
}
