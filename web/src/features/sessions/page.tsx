/** The login page: username or email and password, and what brought the visitor here. */
import { Link, useSearch } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import type { LoginAnswer } from "./enter.ts";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import { useInviteCode } from "./enter.ts";
import { OtherWays } from "./other-ways.tsx";
import styles from "./page.module.css";
import { PasskeyLogin } from "./passkey-login.tsx";
import { useHumanCheck } from "../../ui/form/use-human-check.tsx";
import { useTwoSteps } from "./use-two-steps.tsx";

interface Credentials {
  username: string;
  password: string;
}

/** Sends what was typed. @returns the login's answer, by which the person goes in or on to the second step. */
async function logIn(credentials: Credentials, turnstile: string): Promise<LoginAnswer> {
  // The schemas behind the endpoint are as heavy as this page, so they come when they are needed.
  const { login } = await import("../../../../contract/src/features/sessions.ts");
  return call(login, { body: credentials, query: { turnstile } });
}

type Missing = keyof Credentials | undefined;

const missingOf = (credentials: Credentials): Missing =>
  credentials.username.trim() === "" ? "username" : credentials.password === "" ? "password" : undefined;

function LoginForm({ onLogin }: { onLogin: (answer: LoginAnswer) => Promise<void> }) {
  const { t } = useTranslation("sessions");
  const [isBusy, setIsBusy] = useState(false);
  const [credentials, setCredentials] = useState<Credentials>({ username: "", password: "" });
  const [error, setError] = useState<{ text: string; field: Missing }>();
  const check = useHumanCheck();
  const form = useRef<HTMLFormElement>(null);
  const refuse = (text: string, field: keyof Credentials) => {
    setError({ text, field });
    form.current?.querySelector<HTMLInputElement>(`[name=${field}]`)?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const missing = missingOf(credentials);
    if (missing) refuse(t("fieldsMissing"), missing);
    else if (check.isPending) setError({ text: t("humanCheckPending"), field: undefined });
    else void send();
  };
  const send = async () => {
    setIsBusy(true);
    try {
      await onLogin(await logIn(credentials, check.token));
    } catch (failure) {
      check.renew();
      refuse(describeError(failure).message, "password");
    } finally {
      setIsBusy(false);
    }
  };
  const field = (name: keyof Credentials) => ({
    name,
    value: credentials[name],
    "aria-invalid": error?.field === name,
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      setCredentials({ ...credentials, [name]: event.currentTarget.value });
      setError(undefined);
    },
  });
  return (
    <form ref={form} className={styles.form} onSubmit={onSubmit} noValidate>
      {error && <Notice tone="red">{error.text}</Notice>}
      <PlainField
        label={t("username")}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        {...field("username")}
      />
      <PlainPassword
        label={t("password")}
        autoComplete="current-password"
        toggleLabel={t("showPassword")}
        {...field("password")}
      />
      {check.widget}
      <PlainButton type="submit" look="filled" isLarge isBusy={isBusy}>
        {t("logIn")}
      </PlainButton>
    </form>
  );
}

/** Registering, and a link for who forgot the password, where the site offers them. */
function OtherDoors() {
  const { t } = useTranslation("sessions");
  const { next } = useSearch({ from: "/open/login" });
  const { password_login, register_enabled, password_register, password_reset } = useStatus();
  const registers = register_enabled && password_register;
  const resets = password_login && password_reset;
  if (!registers && !resets) return null;
  return (
    <EntryLinks>
      {registers && (
        <span>
          {t("noAccount")}{" "}
          <Link to="/register" search={{ next }}>
            {t("register")}
          </Link>
        </span>
      )}
      {resets && <Link to="/reset">{t("forgot")}</Link>}
    </EntryLinks>
  );
}

/** The content of the card: the first step, or the second one that an account with an authenticator app is asked for. */
function Steps() {
  const { t } = useTranslation("sessions");
  const { password_login } = useStatus();
  const { expired, registered } = useSearch({ from: "/open/login" });
  const { second, onLogin, refusal, setRefusal, frame } = useTwoSteps();
  if (second !== undefined) return second;
  return (
    <div ref={frame} className={styles.form}>
      {refusal !== "" && <Notice tone="red">{refusal}</Notice>}
      {expired === "true" && refusal === "" && <Notice tone="amber">{t("expired")}</Notice>}
      {registered === "true" && refusal === "" && <Notice tone="blue">{t("registered")}</Notice>}
      {password_login ? <LoginForm onLogin={onLogin} /> : <Notice tone="blue">{t("passwordLoginOff")}</Notice>}
      <PasskeyLogin onLogin={onLogin} onRefusal={setRefusal} />
      <OtherWays isBelowForm={password_login} onLogin={onLogin} />
      <OtherDoors />
    </div>
  );
}

export function LoginPage() {
  const { t } = useTranslation("sessions");
  const { system_name } = useStatus();
  const search = useSearch({ from: "/open/login" });
  useInviteCode(search.aff);
  return (
    <EntryPage name={t("logIn")} title={t("title", { name: system_name })}>
      <Steps />
    </EntryPage>
  );
}
