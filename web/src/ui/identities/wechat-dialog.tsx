/** Signing in or binding with WeChat: the account's QR code, and the code that it answers. */
import { type FormEvent, useId, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { describeError } from "../feedback/describe-error.ts";
import { useStatus } from "../../lib/status.ts";
import { PlainButton, PlainField } from "../plain.tsx";
import { PlainDialog } from "../plain-dialog.tsx";
import styles from "./identities.module.css";

interface WechatDialogProps {
  /** Rejects where the code is refused; closes nothing by itself. */
  onCode: (code: string) => Promise<void>;
  onClose: () => void;
}

export function WechatDialog({ onCode, onClose }: WechatDialogProps) {
  const { t } = useTranslation("ui");
  const { wechat_qrcode } = useStatus();
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLFormElement>(null);
  const [formId, errorId] = [useId(), useId()];
  const refuse = (text: string) => {
    setError(text);
    field.current?.querySelector("input")?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (code.trim() === "") return refuse(t("identities.codeMissing"));
    setIsBusy(true);
    onCode(code.trim())
      .catch((failure: unknown) => refuse(describeError(failure).message))
      .finally(() => setIsBusy(false));
  };
  const action = (
    <PlainButton type="submit" form={formId} look="filled" isBusy={isBusy}>
      {t("identities.useCode")}
    </PlainButton>
  );
  return (
    <PlainDialog title={t("identities.wechat")} close={t("cancel")} onClose={onClose} action={action}>
      <p className={styles.text}>{t("identities.wechatHow")}</p>
      {wechat_qrcode !== "" && (
        <img className={styles.qrCode} src={wechat_qrcode} alt={t("identities.qrCode")} width={180} height={180} />
      )}
      <form id={formId} ref={field} className={styles.codeForm} onSubmit={onSubmit} noValidate>
        <PlainField
          label={t("identities.code")}
          name="code"
          autoFocus
          autoComplete="one-time-code"
          inputMode="numeric"
          value={code}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : errorId}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setError(undefined);
          }}
        />
        {error !== undefined && (
          <p className={styles.error} id={errorId} role="alert">
            {error}
          </p>
        )}
      </form>
    </PlainDialog>
  );
}
