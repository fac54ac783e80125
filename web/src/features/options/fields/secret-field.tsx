/** The control for a secret: it can be replaced and removed, never read. */
import { Button, PasswordInput } from "@mantine/core";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate, formatExact } from "../../../lib/format.ts";
import type { FieldProps } from "../draft/settings.ts";
import styles from "./fields.module.css";

/** Whether the field that has just closed had the focus, which is then for what stands in its place. */
type HadFocus = RefObject<boolean>;

function useFocusLeft(hadFocusRef: HadFocus) {
  const place = useRef<HTMLDivElement>(null);
  // Before the field leaves the page: afterwards nothing has the focus.
  useLayoutEffect(() => {
    const element = place.current;
    return () => {
      hadFocusRef.current = element?.contains(document.activeElement) === true;
    };
  }, [hadFocusRef]);
  return place;
}

/** The sentence about a stored secret, with what can be done about it. The buttons name it: the row's label points to the first. */
function Stored({
  field,
  id,
  label,
  onReplace,
  hadFocusRef,
}: FieldProps & { onReplace: () => void; hadFocusRef: HadFocus }) {
  const { t } = useTranslation("options");
  useEffect(() => {
    if (hadFocusRef.current) document.getElementById(id)?.focus({ preventScroll: true });
    hadFocusRef.current = false;
  }, [hadFocusRef, id]);
  const { updated_time: changedS } = field.row;
  if (field.isDirty) {
    return (
      <div className={styles.secret}>
        <span className={styles.removed}>{t("secret.removed")}</span>
        <Button id={id} variant="subtle" size="xs" aria-label={`${t("secret.keep")} ${label}`} onClick={field.revert}>
          {t("secret.keep")}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.secret}>
      <span className={styles.set} title={changedS === 0 ? undefined : formatExact(changedS)}>
        {changedS === 0 ? t("secret.set") : t("secret.setOn", { date: formatDate(changedS) })}
      </span>
      <Button id={id} size="xs" aria-label={`${t("secret.replace")} ${label}`} onClick={onReplace}>
        {t("secret.replace")}
      </Button>
      <Button variant="subtle" size="xs" aria-label={`${t("secret.remove")} ${label}`} onClick={() => field.set("")}>
        {t("secret.remove")}
      </Button>
    </div>
  );
}

interface TypedProps extends FieldProps {
  isReplacing: boolean;
  onCancel: () => void;
  hadFocusRef: HadFocus;
}

function Typed({ field, id, describedBy, isReplacing, onCancel, hadFocusRef }: TypedProps) {
  const { t } = useTranslation("options");
  const place = useFocusLeft(hadFocusRef);
  const isSaved = !field.isDirty && field.row.is_set;
  return (
    <div ref={place} className={styles.secret}>
      <PasswordInput
        id={id}
        aria-describedby={describedBy}
        className={styles.line ?? ""}
        autoComplete="new-password"
        autoFocus={isReplacing}
        placeholder={isSaved ? t("secret.new") : t("secret.unset")}
        visibilityToggleButtonProps={{ "aria-label": t("secret.show") }}
        value={field.text}
        error={field.problem !== undefined}
        onChange={(event) => (event.currentTarget.value === "" ? field.revert() : field.set(event.currentTarget.value))}
      />
      {field.row.is_set && (
        <Button variant="subtle" size="xs" onClick={onCancel}>
          {t("secret.cancel")}
        </Button>
      )}
    </div>
  );
}

export function SecretField(props: FieldProps) {
  const { field } = props;
  // Once the new one is stored, the row has another revision and its field closes.
  const [replacing, setReplacing] = useState<number>();
  const hadFocusRef = useRef(false);
  const isReplacing = replacing === field.row.revision;
  const isTyped = field.isDirty && field.text !== "";
  if (field.row.is_set && !isTyped && !isReplacing) {
    return <Stored {...props} hadFocusRef={hadFocusRef} onReplace={() => setReplacing(field.row.revision)} />;
  }
  const cancel = () => {
    field.revert();
    setReplacing(undefined);
  };
  return <Typed {...props} isReplacing={isReplacing} hadFocusRef={hadFocusRef} onCancel={cancel} />;
}
