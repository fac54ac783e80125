/** Asks for the name of a group: a new one, or another for one that nothing uses. */
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { type Groups, problemOfName } from "./groups.ts";
import styles from "./groups.module.css";

/** Above drawers. */
const LAYER = 300;

interface Props {
  title: string;
  action: string;
  /** The name it has; absent for a new group. */
  name?: string;
  groups: Groups;
  /** Why it cannot be renamed: what uses it. */
  refusal?: string | undefined;
  onClose: () => void;
  onName: (name: string) => void;
}

export function NameDialog({ title, action, name: old = "", groups, refusal, onClose, onName }: Props) {
  const { t } = useTranslation("prices");
  const [name, setName] = useState(old);
  const [isTried, setIsTried] = useState(false);
  const problem = name.trim() === old && old !== "" ? undefined : problemOfName(name, groups);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (problem === undefined) onName(name.trim());
  };
  return (
    <Dialog isOpen onClose={onClose} title={title} layer={LAYER}>
      {refusal === undefined ? (
        <form className={styles.dialog} onSubmit={submit} noValidate>
          <TextInput
            label={t("groups.column.name")}
            value={name}
            data-autofocus
            error={isTried && problem !== undefined && t(`groups.nameProblem.${problem}`)}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <div className={styles.dialogActs}>
            <Button onClick={onClose}>{t("groups.cancel")}</Button>
            <Button type="submit" variant="filled">
              {action}
            </Button>
          </div>
        </form>
      ) : (
        <div className={styles.dialog}>
          <Notice tone="amber">{refusal}</Notice>
          <div className={styles.dialogActs}>
            <Button data-autofocus onClick={onClose}>
              {t("groups.close")}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
