/** The dialog that names a new passkey or renames one. */
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { PASSKEY_NAME_MAX } from "../../../../../contract/src/features/factors.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import styles from "./security.module.css";

const LAYER = 300;

interface PasskeyNameDialogProps {
  title: string;
  text?: string;
  action: string;
  name: string;
  /** Resolves true where the dialog may close; what it throws is said below the field. */
  save: (name: string) => Promise<boolean>;
  onClose: () => void;
}

export function PasskeyNameDialog({ title, text, action, name: first, save, onClose }: PasskeyNameDialogProps) {
  const { t } = useTranslation("personal");
  const [name, setName] = useState(first);
  const [error, setError] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  const send = async () => {
    setIsSaving(true);
    try {
      if (await save(name.trim())) onClose();
    } catch (refusal) {
      setError(describeError(refusal).message);
    } finally {
      setIsSaving(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    if (name.trim() === "") setError(t("security.passkeys.nameMissing"));
    else void send();
  };
  return (
    <Dialog isOpen onClose={onClose} title={title} layer={LAYER}>
      <form onSubmit={submit} noValidate>
        <div className={styles.parts}>
          {text && <p className={styles.text}>{text}</p>}
          <TextInput
            label={t("security.passkeys.name")}
            data-autofocus
            maxLength={PASSKEY_NAME_MAX}
            error={error}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setError(undefined);
            }}
          />
        </div>
        <div className={styles.actions}>
          <Button onClick={onClose}>{t("security.cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={isSaving}>
            {action}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
