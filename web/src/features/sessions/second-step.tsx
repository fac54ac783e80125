/** The second screen of logging in: one field for the code of an authenticator app or a recovery code, or a passkey alone where there is no app. */
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { ApiError, call } from "../../lib/api.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { arePasskeysSupported } from "../../ui/passkey-support.ts";
import { PlainButton, PlainField } from "../../ui/plain.tsx";
import type { LoginAnswer } from "./enter.ts";
import styles from "./page.module.css";
import { PasskeyLogin } from "./passkey-login.tsx";

interface SecondStepProps {
  /** The answer of the first step. */
  first: Pick<LoginAnswer, "ticket" | "methods">;
  onLogin: (answer: LoginAnswer) => Promise<void>;
  /** Back to the first step, with the reason where the ticket is over. */
  onBack: (reason?: string) => void;
}

/** Says how many recovery codes are left after a login by one, and leads to the security page who wants to. */
function useRecoveryNotice(): (left: number) => Promise<void> {
  const { t } = useTranslation("sessions");
  const navigate = useNavigate();
  return async (left) => {
    const wantsSecurity = await confirm({
      title: t("recoveryUsed.title"),
      text: t("recoveryUsed.text", { count: left }),
      action: t("recoveryUsed.action"),
      tone: "plain",
    });
    if (wantsSecurity) await navigate({ to: "/personal/security" });
  };
}

export function SecondStep({ first, onLogin, onBack }: SecondStepProps) {
  const { t } = useTranslation("sessions");
  const [code, setCode] = useState("");
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLFormElement>(null);
  const tellLeft = useRecoveryNotice();
  const hasApp = first.methods.includes("totp");
  const isStuck = !hasApp && !arePasskeysSupported();
  const refuse = (text: string) => {
    setError(text);
    field.current?.querySelector("input")?.select();
  };
  const submit = async () => {
    setIsBusy(true);
    try {
      const { secondStep } = await import("../../../../contract/src/features/factors.ts");
      const answer = await call(secondStep, { body: { ticket: first.ticket, code: code.trim() } });
      await onLogin(answer);
      const { recovery_codes_left: left, required_action: required } = answer;
      if (left !== undefined && required === "") void tellLeft(left);
    } catch (failure) {
      const { message } = describeError(failure);
      if (failure instanceof ApiError && failure.code === "second_step_over") onBack(message);
      else refuse(message);
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !hasApp) return;
    if (code.trim() === "") refuse(t("secondStep.missing"));
    else void submit();
  };
  return (
    <form ref={field} className={styles.form} onSubmit={onSubmit} noValidate>
      {error !== "" && <Notice tone="red">{error}</Notice>}
      <p className={styles.text}>{t(hasApp ? "secondStep.text" : "secondStep.passkeyText")}</p>
      {isStuck && <Notice tone="amber">{t("secondStep.passkeyAway")}</Notice>}
      {hasApp && (
        <>
          <PlainField
            label={t("secondStep.code")}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={20}
            autoFocus
            value={code}
            aria-invalid={error !== ""}
            onChange={(event) => {
              setCode(event.currentTarget.value);
              setError("");
            }}
          />
          <PlainButton type="submit" look="filled" isLarge isBusy={isBusy}>
            {t("secondStep.go")}
          </PlainButton>
          <p className={styles.text}>{t("secondStep.lost")}</p>
        </>
      )}
      {first.methods.includes("passkey") && <PasskeyLogin onLogin={onLogin} onRefusal={setError} autoFocus={!hasApp} />}
      <PlainButton look={isStuck ? "outline" : "ghost"} isLarge className={styles.last} onClick={() => onBack()}>
        {t("secondStep.back")}
      </PlainButton>
    </form>
  );
}
