/** Setting up an authenticator app: its secret as a QR code and as text, and the first code that proves it arrived. */
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { type beginTotp, confirmTotp } from "../../../../../contract/src/features/factors.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Copy } from "../../../ui/display/copy.tsx";
import { QrCode } from "../../../ui/display/qr-code.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import styles from "./security.module.css";

export interface TotpFormProps {
  begun: DataOf<typeof beginTotp>;
  /** It counts from now on; the codes are shown this once. */
  onConfirmed: (recoveryCodes: readonly string[]) => void;
  onClose: () => void;
  /** Of the button that closes. */
  closeLabel: string;
}

/** In fours, as people type it from one screen into another. */
const grouped = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(" ");

export function TotpForm({ begun, onConfirmed, onClose, closeLabel }: TotpFormProps) {
  const { t } = useTranslation("personal");
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const send = async () => {
    setIsSending(true);
    try {
      const { recovery_codes } = await call(confirmTotp, { body: { code: code.trim() } });
      onConfirmed(recovery_codes);
    } catch (refusal) {
      setError(describeError(refusal).message);
    } finally {
      setIsSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    if (code.trim() === "") setError(t("security.totp.codeMissing"));
    else void send();
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className={styles.parts}>
        <p className={styles.text}>{t("security.totp.scan")}</p>
        <QrCode text={begun.address} label={t("security.totp.qr")} />
        <div className={styles.secret}>
          <span className={styles.text}>{t("security.totp.secret")}</span>
          <Copy text={begun.secret} label={t("security.totp.copySecret")} isIconShown>
            <span className="mono">{grouped(begun.secret)}</span>
          </Copy>
        </div>
        <TextInput
          label={t("security.totp.code")}
          name="code"
          data-autofocus
          autoFocus
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={10}
          error={error}
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setError(undefined);
          }}
        />
      </div>
      <div className={styles.actions}>
        <Button onClick={onClose}>{closeLabel}</Button>
        <BusyButton type="submit" variant="filled" isBusy={isSending}>
          {t("security.totp.turnOn")}
        </BusyButton>
      </div>
    </form>
  );
}
