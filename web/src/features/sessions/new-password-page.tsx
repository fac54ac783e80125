/** Where the link of a reset leads: a button, since mail scanners open links, and then the new password, shown this once. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { call } from "../../lib/api.ts";
import { copyText } from "../../lib/clipboard.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { buttonLook, PlainButton, PlainField } from "../../ui/plain.tsx";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import styles from "./page.module.css";

function NewPassword({ password }: { password: string }) {
  const { t } = useTranslation("sessions");
  const [copied, setCopied] = useState<boolean>();
  // It is shown this once, so it is copied at once; the button is there for browsers that refuse, and for later.
  useEffect(() => void copyText(password).then(setCopied), [password]);
  return (
    <>
      <Notice tone="amber">{t("newPassword.done")}</Notice>
      <div className={styles.withButton}>
        <PlainField
          label={t("newPassword.label")}
          className={styles.secret}
          readOnly
          value={password}
          error={copied === false ? t("newPassword.copyFailed") : undefined}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <PlainButton isLarge autoFocus onClick={() => void copyText(password).then(setCopied)}>
          {copied ? t("newPassword.copied") : t("newPassword.copy")}
        </PlainButton>
      </div>
      <Link to="/login" {...buttonLook("filled", true)}>
        {t("logIn")}
      </Link>
    </>
  );
}

interface LinkParts {
  email: string;
  token: string;
}

function Confirmation({ link, onDone }: { link: LinkParts; onDone: (password: string) => void }) {
  const { t } = useTranslation("sessions");
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      const { resetPassword } = await import("../../../../contract/src/features/sessions.ts");
      onDone(await call(resetPassword, { body: link }));
    } catch (failure) {
      setError(describeError(failure).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <p className={styles.text}>{t("newPassword.text", { email: link.email })}</p>
      {error !== undefined && <Notice tone="red">{error}</Notice>}
      <PlainButton look="filled" isLarge isBusy={isBusy} onClick={() => void confirm()}>
        {t("newPassword.action")}
      </PlainButton>
    </>
  );
}

export function NewPasswordPage() {
  const { t } = useTranslation("sessions");
  const { email, token } = useSearch({ from: "/open/user/reset" });
  const navigate = useNavigate();
  const [password, setPassword] = useState<string>();
  const onDone = (made: string) => {
    setPassword(made);
    // What was used up is left neither in the address nor in the history.
    void navigate({ to: "/user/reset", search: {}, replace: true });
  };
  const isComplete = email !== undefined && token !== undefined;
  return (
    <EntryPage name={t("resetPassword")} title={t("newPassword.title")}>
      {password !== undefined && <NewPassword password={password} />}
      {password === undefined && isComplete && <Confirmation link={{ email, token }} onDone={onDone} />}
      {password === undefined && !isComplete && <Notice tone="amber">{t("newPassword.incomplete")}</Notice>}
      {password === undefined && (
        <EntryLinks>
          <Link to="/reset">{t("newPassword.askAgain")}</Link>
          <Link to="/login">{t("toLogin")}</Link>
        </EntryLinks>
      )}
    </EntryPage>
  );
}
