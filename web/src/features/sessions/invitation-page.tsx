/** Where the link of an invitation leads: name and password of the account that it makes; the address is the one that was invited. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { siteNames } from "../../../../contract/src/passwords.ts";
import { ApiError, call } from "../../lib/api.ts";
import { loadStatus, useStatus } from "../../lib/status.ts";
import { TermsLinks } from "../../ui/content/terms-links.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { knownProblem, PasswordRules } from "../../ui/form/password-rules.tsx";
import { PlainButton, PlainField, PlainPassword } from "../../ui/plain.tsx";
import { useEnter } from "./enter.ts";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import styles from "./page.module.css";
import { EMPTY_FORM, registerErrors } from "./register-form.ts";

type Wrong = Partial<Record<"username" | "password" | "password2", string>>;

/** Typed values, sending, and refusals by field. */
function useInvited(token: string) {
  const { t } = useTranslation(["sessions", "error-codes"]);
  const { system_name, server_address, terms_version } = useStatus();
  const navigate = useNavigate();
  const enter = useEnter();
  const [values, setValues] = useState({ username: "", password: "", password2: "" });
  const [accepted, setAccepted] = useState("");
  const [wrong, setWrong] = useState<Wrong>({});
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const fail = (failure: unknown) => {
    const { message } = describeError(failure);
    const field = failure instanceof ApiError ? failure.field : undefined;
    if (field === "username" || field === "password") setWrong({ [field]: message });
    else setError(message);
  };
  const send = async () => {
    setIsBusy(true);
    try {
      const { acceptInvitation } = await import("../../../../contract/src/features/sessions.ts");
      const { username, password } = values;
      const answer = await call(acceptInvitation, { body: { token, username, password, terms_version: accepted } });
      if (answer === null) await navigate({ to: "/login", search: { registered: "true" } });
      else await enter(answer, "/token");
    } catch (failure) {
      fail(failure);
      if (failure instanceof ApiError && failure.field === "terms_version") await loadStatus();
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setError(undefined);
    const site = siteNames({ name: system_name, address: server_address });
    const problem = knownProblem(values.password, [...site, values.username]);
    const found = Object.entries(registerErrors({ ...EMPTY_FORM, ...values }, false, problem));
    setWrong(Object.fromEntries(found.map(([name, key]) => [name, t(`error-codes:${key}`)])));
    if (found.length > 0) return;
    if (accepted !== terms_version) setError(t("registration.termsMissing"));
    else void send();
  };
  const field = (name: keyof typeof values) => ({
    name,
    value: values[name],
    error: wrong[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      setValues({ ...values, [name]: currentTarget.value });
      setWrong({ ...wrong, [name]: undefined });
    },
  });
  const terms = {
    isAsked: terms_version !== "",
    hasAccepted: accepted === terms_version,
    accept: (isOn: boolean) => setAccepted(isOn ? terms_version : ""),
  };
  return { field, terms, error, isBusy, onSubmit, names: [values.username], password: values.password };
}

function InvitedForm({ token }: { token: string }) {
  const { t } = useTranslation("sessions");
  const { field, terms, error, isBusy, onSubmit, names, password } = useInvited(token);
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      <p className={styles.text}>{t("invitation.text")}</p>
      {error !== undefined && <Notice tone="red">{error}</Notice>}
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
        <PasswordRules password={password} names={names} />
      </div>
      <PlainPassword
        label={t("registration.password2")}
        autoComplete="new-password"
        toggleLabel={t("showPassword")}
        {...field("password2")}
      />
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
      <PlainButton type="submit" look="filled" isLarge isBusy={isBusy}>
        {t("invitation.accept")}
      </PlainButton>
    </form>
  );
}

export function InvitationPage() {
  const { t } = useTranslation("sessions");
  const { system_name } = useStatus();
  const { token } = useSearch({ from: "/open/invitation" });
  return (
    <EntryPage name={t("invitation.name")} title={t("invitation.title", { name: system_name })}>
      {token === undefined ? <Notice tone="amber">{t("invitation.incomplete")}</Notice> : <InvitedForm token={token} />}
      <EntryLinks>
        <Link to="/login">{t("toLogin")}</Link>
      </EntryLinks>
    </EntryPage>
  );
}
