/** The registration page: name and password, a code by mail where the site verifies addresses, and the invitation. */
import { Link, useSearch, useNavigate } from "@tanstack/react-router";
import { type ChangeEvent, type FormEvent, lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { wantedAddress } from "../../lib/next-address.ts";
import { loadStatus, useStatus } from "../../lib/status.ts";
import { TermsLinks } from "../../ui/content/terms-links.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { otherWays, inviteCode } from "../../ui/identities/ways.ts";
import { PasswordRules, knownProblem } from "../../ui/form/password-rules.tsx";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import { forgetInviteCode, useEnter, useInviteCode } from "./enter.ts";
import { OtherWays } from "./other-ways.tsx";
import styles from "./page.module.css";
import { useHumanCheck } from "../../ui/form/use-human-check.tsx";
import { useTwoSteps } from "./use-two-steps.tsx";
import { MAIL_RESEND_SECONDS } from "../../../../contract/src/constants.ts";
import { siteNames } from "../../../../contract/src/passwords.ts";
import { ApiError, call } from "../../lib/api.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { EMPTY_FORM, looksLikeAddress, REGISTER_FIELDS, registerErrors, type RegisterField } from "./register-form.ts";
import { useCountdown } from "./use-countdown.ts";

type Check = ReturnType<typeof useHumanCheck>;
type Texts = Partial<Record<RegisterField, string>>;

/** Errors of the form and of its fields; the first wrong field gets the focus. */
function useErrors() {
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<string>();
  const [wrong, setWrong] = useState<Texts>({});
  const refuse = (texts: Texts) => {
    setError(undefined);
    setWrong(texts);
    const first = REGISTER_FIELDS.find((name) => texts[name] !== undefined);
    form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  };
  /** The server's refusal, at the field that it names. */
  const showFailure = (failure: unknown) => {
    const { message } = describeError(failure);
    const name = failure instanceof ApiError ? REGISTER_FIELDS.find((field) => field === failure.field) : undefined;
    if (name !== undefined) return refuse({ [name]: message });
    setWrong({});
    return setError(message);
  };
  return { form, error, setError, wrong, setWrong, refuse, showFailure };
}

/** The button that has a code mailed. */
function useCode(email: string, check: Check, errors: ReturnType<typeof useErrors>) {
  const { t } = useTranslation(["sessions", "error-codes"]);
  const { left, start } = useCountdown();
  const [isBusy, setIsBusy] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const send = async () => {
    setIsBusy(true);
    try {
      const { sendEmailCode } = await import("../../../../contract/src/features/sessions.ts");
      await call(sendEmailCode, { query: { email: email.trim(), turnstile: check.token } });
      setIsSent(true);
      start(MAIL_RESEND_SECONDS);
    } catch (failure) {
      errors.showFailure(failure);
    } finally {
      setIsBusy(false);
      check.renew();
    }
  };
  const ask = () => {
    if (left > 0 || isBusy) return;
    setIsSent(false);
    errors.setError(undefined);
    if (!looksLikeAddress(email)) errors.refuse({ email: t("error-codes:email_invalid") });
    else if (check.isPending) errors.setError(t("humanCheckPending"));
    else void send();
  };
  return { ask, left, isBusy, isSent };
}

/** State of the registration page: typed values, the code by mail, sending, and refusals by field. */
function useRegistration(check: Check) {
  const { t } = useTranslation(["sessions", "error-codes"]);
  const { email_verification, system_name, server_address, terms_version } = useStatus();
  /** The version that was accepted: a changed one is accepted anew. */
  const [accepted, setAccepted] = useState("");
  const hasAccepted = accepted === terms_version;
  const { next } = useSearch({ from: "/open/register" });
  const navigate = useNavigate();
  const enter = useEnter();
  const [values, setValues] = useState(EMPTY_FORM);
  const [isBusy, setIsBusy] = useState(false);
  const errors = useErrors();
  const code = useCode(values.email, check, errors);
  const send = async () => {
    setIsBusy(true);
    try {
      const { register } = await import("../../../../contract/src/features/sessions.ts");
      const body = { ...values, terms_version: accepted, aff_code: inviteCode() };
      const answer = await call(register, { body, query: { turnstile: check.token } });
      forgetInviteCode();
      if (answer === null) await navigate({ to: "/login", search: { registered: "true", next } });
      else await enter(answer);
    } catch (failure) {
      errors.showFailure(failure);
      check.renew();
      if (failure instanceof ApiError && failure.field === "terms_version") await loadStatus();
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const site = siteNames({ name: system_name, address: server_address });
    const problem = knownProblem(values.password, [...site, values.username, values.email]);
    const found = Object.entries(registerErrors(values, email_verification, problem));
    if (found.length > 0)
      errors.refuse(Object.fromEntries(found.map(([name, key]) => [name, t(`error-codes:${key}`)])));
    else if (!hasAccepted) errors.setError(t("registration.termsMissing"));
    else if (check.isPending) errors.setError(t("humanCheckPending"));
    else void send();
  };
  const terms = {
    isAsked: terms_version !== "",
    hasAccepted,
    accept: (isOn: boolean) => setAccepted(isOn ? terms_version : ""),
  };
  const field = (name: RegisterField) => ({
    name,
    value: values[name],
    error: errors.wrong[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setValues({ ...values, [name]: currentTarget.value });
      errors.setWrong({ ...errors.wrong, [name]: undefined });
    },
  });
  return { form: errors.form, error: errors.error, field, code, terms, isBusy, onSubmit };
}

type Registration = ReturnType<typeof useRegistration>;

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
  const { field, error, terms, isBusy, form, onSubmit } = registration;
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
      {terms.isAsked && (
        <label className={styles.consent}>
          <input
            type="checkbox"
            checked={terms.hasAccepted}
            onChange={(event) => terms.accept(event.currentTarget.checked)}
          />
          <span>
            {t("registration.terms")} <TermsLinks />
          </span>
        </label>
      )}
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

/** Amounts are not part of the page's first load. */
const InvitationNote = lazy(async () => ({ default: (await import("./invitation-note.tsx")).InvitationNote }));

export function RegisterPage() {
  const { t } = useTranslation("sessions");
  const { system_name, register_enabled, invitee_reward, inviter_reward } = useStatus();
  const { aff, next } = useSearch({ from: "/open/register" });
  useInviteCode(aff);
  const isInvited = (aff ?? inviteCode()) !== "" && register_enabled && invitee_reward + inviter_reward > 0;
  return (
    <EntryPage name={t("register")} title={t("registration.title", { name: system_name })}>
      {isInvited && (
        <Suspense fallback={null}>
          <InvitationNote />
        </Suspense>
      )}
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
