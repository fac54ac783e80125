/** The login page: username or email and password, and what brought the visitor here. */
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { STORAGE, writeStored } from "../../lib/storage.ts";
import { EntryCard } from "../../ui/entry-card.tsx";
import { Mark } from "../../ui/display/mark.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { type LoginAnswer, useEnter } from "./enter.ts";
import styles from "./page.module.css";
import { PasskeyLogin } from "./passkey-login.tsx";

/** Comes only to sites that ask for it. */
const HumanCheck = lazy(async () => ({ default: (await import("./human-check.tsx")).HumanCheck }));

/** Comes only to accounts that have one. */
const SecondStep = lazy(async () => ({ default: (await import("./second-step.tsx")).SecondStep }));

/** Keeps the invite code of ?aff= until somebody registers. */
function useInviteCode(code: string | undefined): void {
  useEffect(() => {
    if (code) writeStored(STORAGE.inviteCode, code);
  }, [code]);
}

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
  const { turnstile_check, turnstile_site_key } = useStatus();
  const [humanToken, setHumanToken] = useState("");
  // A token counts once, so each refused try needs a new widget.
  const [tries, setTries] = useState(0);
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
    else if (turnstile_check && humanToken === "") setError({ text: t("humanCheckPending"), field: undefined });
    else void send();
  };
  const send = async () => {
    setIsBusy(true);
    try {
      await onLogin(await logIn(credentials, humanToken));
    } catch (failure) {
      setTries(tries + 1);
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
      {turnstile_check && (
        <Suspense fallback={<div className={styles.humanCheck} />}>
          <HumanCheck key={tries} siteKey={turnstile_site_key} className={styles.humanCheck} onToken={setHumanToken} />
        </Suspense>
      )}
      <PlainButton type="submit" look="filled" isLarge isBusy={isBusy}>
        {t("logIn")}
      </PlainButton>
    </form>
  );
}

/** What the card holds: the first step, or the second one that an account with an authenticator app is asked for. */
function Steps() {
  const { t } = useTranslation("sessions");
  const { password_login } = useStatus();
  const { expired } = useSearch({ from: "/open/login" });
  const enter = useEnter();
  const [first, setFirst] = useState<LoginAnswer>();
  const [refusal, setRefusal] = useState("");
  const onLogin = async (answer: LoginAnswer) => {
    setRefusal("");
    if (answer.require_second_factor) setFirst(answer);
    else await enter(answer);
  };
  const goBack = (reason = "") => {
    setFirst(undefined);
    setRefusal(reason);
  };
  if (first !== undefined)
    return (
      <Suspense fallback={<div className={styles.ghost} aria-busy />}>
        <SecondStep first={first} onLogin={onLogin} onBack={goBack} />
      </Suspense>
    );
  return (
    <div className={styles.form}>
      {refusal !== "" && <Notice tone="red">{refusal}</Notice>}
      {expired === "true" && refusal === "" && <Notice tone="amber">{t("expired")}</Notice>}
      {password_login ? <LoginForm onLogin={onLogin} /> : <Notice tone="blue">{t("passwordLoginOff")}</Notice>}
      <PasskeyLogin onLogin={onLogin} onRefusal={setRefusal} />
    </div>
  );
}

export function LoginPage() {
  const { t } = useTranslation("sessions");
  const { system_name } = useStatus();
  const search = useSearch({ from: "/open/login" });
  useInviteCode(search.aff);
  usePageTitle(t("logIn"));
  return (
    <EntryCard width={500}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Mark size={44} />
          <h1 className={styles.title}>{t("title", { name: system_name })}</h1>
          <p className={styles.host}>{location.host}</p>
        </div>
        <Steps />
      </div>
    </EntryCard>
  );
}
