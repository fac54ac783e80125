/** The login page: username or email and password, and what brought the visitor here. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../lib/api.ts";
import { nextAddress } from "../../lib/next-address.ts";
import { useStatus } from "../../lib/status.ts";
import { STORAGE, writeStored } from "../../lib/storage.ts";
import { setViewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { EntryCard } from "../../ui/entry-card.tsx";
import { Mark } from "../../ui/display/mark.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import styles from "./page.module.css";

/** Comes only to sites that ask for it. */
const HumanCheck = lazy(async () => ({ default: (await import("./human-check.tsx")).HumanCheck }));

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

/** Logs in, stores the user and goes to the page that was wanted; warns where the account still has its first password. */
function useLogin() {
  const { t } = useTranslation("sessions");
  const { next } = useSearch({ from: "/open/login" });
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  const logIn = async (credentials: Credentials, turnstile: string): Promise<void> => {
    setIsBusy(true);
    try {
      // The schemas behind the endpoint are as heavy as this page, so they come when they are needed.
      const { login } = await import("../../../../contract/src/features/sessions.ts");
      const user = await call(login, { body: credentials, query: { turnstile } });
      setViewer(user);
      await navigate({ href: nextAddress(next) });
      if (user.default_credentials)
        void confirm({
          title: t("defaultCredentials.title"),
          text: t("defaultCredentials.text"),
          action: t("defaultCredentials.action"),
          tone: "plain",
        });
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, logIn };
}

type Missing = keyof Credentials | undefined;

const missingOf = (credentials: Credentials): Missing =>
  credentials.username.trim() === "" ? "username" : credentials.password === "" ? "password" : undefined;

function LoginForm() {
  const { t } = useTranslation("sessions");
  const { isBusy, logIn } = useLogin();
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
    else
      logIn(credentials, humanToken).catch((failure: unknown) => {
        setTries(tries + 1);
        refuse(describeError(failure).message, "password");
      });
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

export function LoginPage() {
  const { t } = useTranslation("sessions");
  const { system_name, password_login } = useStatus();
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
        <div className={styles.form}>
          {search.expired === "true" && <Notice tone="amber">{t("expired")}</Notice>}
          {password_login ? <LoginForm /> : <Notice tone="blue">{t("passwordLoginOff")}</Notice>}
        </div>
      </div>
    </EntryCard>
  );
}
