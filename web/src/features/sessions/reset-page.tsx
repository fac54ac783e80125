/** The page for a forgotten password: an address, to which a link is sent. The answer is the same whether an account has it or not. */
import { Link } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { MAIL_RESEND_SECONDS } from "../../../../contract/src/constants.ts";
import { call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { PlainButton, PlainField } from "../../ui/plain.tsx";
import { EntryLinks, EntryPage } from "./entry-page.tsx";
import { looksLikeAddress } from "./register-form.ts";
import styles from "./page.module.css";
import { useCountdown } from "./use-countdown.ts";
import { useHumanCheck } from "../../ui/form/use-human-check.tsx";

function ResetForm() {
  const { t } = useTranslation("sessions");
  const check = useHumanCheck();
  const { left, start } = useCountdown();
  const [email, setEmail] = useState("");
  const [said, setSaid] = useState<{ error?: string; wrong?: string; isSent?: true }>({});
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const send = async () => {
    setIsBusy(true);
    try {
      const { requestReset } = await import("../../../../contract/src/features/sessions.ts");
      await call(requestReset, { query: { email: email.trim(), turnstile: check.token } });
      setSaid({ isSent: true });
      start(MAIL_RESEND_SECONDS);
    } catch (failure) {
      setSaid({ error: describeError(failure).message });
    } finally {
      setIsBusy(false);
      check.renew();
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || left > 0) return;
    if (!looksLikeAddress(email)) {
      setSaid({ wrong: t("reset.wrong") });
      field.current?.focus();
    } else if (check.isPending) setSaid({ error: t("humanCheckPending") });
    else void send();
  };
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      <p className={styles.text}>{t("reset.text")}</p>
      {said.error !== undefined && <Notice tone="red">{said.error}</Notice>}
      {said.isSent && <Notice tone="blue">{t("reset.sent")}</Notice>}
      <PlainField
        ref={field}
        label={t("reset.email")}
        type="email"
        name="email"
        autoComplete="email"
        autoFocus
        value={email}
        error={said.wrong}
        onChange={({ currentTarget }) => {
          setEmail(currentTarget.value);
          setSaid({});
        }}
      />
      {check.widget}
      <PlainButton type="submit" look="filled" isLarge isBusy={isBusy} aria-disabled={left > 0 || undefined}>
        {left > 0 ? t("reset.again", { count: left }) : t("reset.send")}
      </PlainButton>
    </form>
  );
}

export function ResetPage() {
  const { t } = useTranslation("sessions");
  const { password_reset } = useStatus();
  return (
    <EntryPage name={t("resetPassword")} title={t("reset.title")}>
      {password_reset ? <ResetForm /> : <Notice tone="blue">{t("reset.off")}</Notice>}
      <EntryLinks>
        <Link to="/login">{t("toLogin")}</Link>
      </EntryLinks>
    </EntryPage>
  );
}
