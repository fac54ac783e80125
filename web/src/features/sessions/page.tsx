/** The login page (spec section 2): username or email and password, and what brought the visitor here. */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { login } from "../../../../contract/src/features/sessions.ts";
import { call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { STORAGE, writeStored } from "../../lib/storage.ts";
import { setViewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/confirm.ts";
import { EntryCard } from "../../ui/entry-card.tsx";
import { Mark } from "../../ui/mark.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import styles from "./page.module.css";

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

/** Logs in, stores the user and goes to the tokens. */
function useLogin() {
  const { t } = useTranslation("sessions");
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (credentials: Credentials) => call(login, { body: credentials, query: {} }),
    meta: { showsOwnError: true },
    onSuccess: async (user) => {
      setViewer(user);
      await navigate({ to: "/token" });
      if (user.default_credentials) await confirm({ title: t("defaultCredentials.title"), text: t("defaultCredentials.text"), action: t("defaultCredentials.action"), tone: "plain" });
    },
  });
}

function LoginForm() {
  const { t } = useTranslation("sessions");
  const submit = useLogin();
  const [credentials, setCredentials] = useState<Credentials>({ username: "", password: "" });
  const [isIncomplete, setIsIncomplete] = useState(false);
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const change = (part: Partial<Credentials>) => {
    setCredentials({ ...credentials, ...part });
    setIsIncomplete(false);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (submit.isPending) return;
    const missing = credentials.username.trim() === "" ? username : credentials.password === "" ? password : undefined;
    setIsIncomplete(missing !== undefined);
    if (missing) missing.current?.focus();
    else submit.mutate(credentials, { onError: () => password.current?.focus() });
  };
  const error = isIncomplete ? t("fieldsMissing") : submit.error?.message;
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      {error && <Notice tone="red">{error}</Notice>}
      <TextInput
        ref={username}
        label={t("username")}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        value={credentials.username}
        aria-invalid={isIncomplete && credentials.username.trim() === ""}
        onChange={(event) => change({ username: event.currentTarget.value })}
      />
      <PasswordInput
        ref={password}
        label={t("password")}
        name="password"
        autoComplete="current-password"
        visibilityToggleButtonProps={{ "aria-label": t("showPassword") }}
        value={credentials.password}
        onChange={(event) => change({ password: event.currentTarget.value })}
      />
      <Button type="submit" variant="filled" size="lg" fullWidth className={styles.submit ?? ""} loading={submit.isPending}>
        {t("logIn")}
      </Button>
    </form>
  );
}

export function LoginPage() {
  const { t } = useTranslation("sessions");
  const { system_name, password_login } = useStatus();
  const search = useSearch({ strict: false });
  useInviteCode(search["aff"]);
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
          {search["expired"] === "true" && <Notice tone="amber">{t("expired")}</Notice>}
          {password_login ? <LoginForm /> : <Notice tone="blue">{t("passwordLoginOff")}</Notice>}
        </div>
      </div>
    </EntryCard>
  );
}
