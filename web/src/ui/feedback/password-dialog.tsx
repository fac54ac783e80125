/** Asks for the password again before changes that a session alone may not make (error code step_up_required). */
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "../busy-button.tsx";
import { confirmPassword } from "../../../../contract/src/features/sessions.ts";
import { call } from "../../lib/api.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";
import { describeError } from "./describe-error.ts";

const LAYER = 410;

/** @param onConfirmed the confirmation holds: do again what was refused */
export function PasswordDialog({ onConfirmed, onClose }: { onConfirmed: () => void; onClose: () => void }) {
  const { t } = useTranslation("ui");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The dialog may be rendered inside another form.
    event.stopPropagation();
    if (password === "" || isSending) return;
    setIsSending(true);
    try {
      await call(confirmPassword, { body: { password } });
      onConfirmed();
    } catch (refusal) {
      setError(describeError(refusal).message);
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t("password.title")} layer={LAYER}>
      <p className={styles.text}>{t("password.text")}</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <PasswordInput
          className={styles.field ?? ""}
          data-autofocus
          label={t("password.label")}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": t("password.show") }}
          error={error}
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <div className={styles.actions}>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={isSending} disabled={password === ""}>
            {t("password.confirm")}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
