/** Setting up an authenticator app: its secret as a QR code and as text, and the first code that proves it arrived. */
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { type beginTotp, confirmTotp } from "../../../../../contract/src/features/factors.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Copy } from "../../../ui/display/copy.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { QrCode } from "./qr-code.tsx";
import styles from "./security.module.css";

const LAYER = 300;

interface TotpDialogProps {
  begun: DataOf<typeof beginTotp>;
  /** It counts from now on; the codes are shown this once. */
  onConfirmed: (recoveryCodes: readonly string[]) => void;
  onClose: () => void;
}

/** In fours, as people type it from one screen into another. */
const grouped = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(" ");

export function TotpDialog({ begun, onConfirmed, onClose }: TotpDialogProps) {
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
    <Dialog isOpen onClose={onClose} title={t("security.totp.setUp")} layer={LAYER}>
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
          <Button onClick={onClose}>{t("security.cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={isSending}>
            {t("security.totp.turnOn")}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
