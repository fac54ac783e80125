/** The controls of options by kind: switches, numbers, lines of text, choices, longer texts, JSON and secrets. */
import { Switch, Textarea, TextInput, Button, PasswordInput } from "@mantine/core";
import { useState, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { plainChoice } from "../rows/value-text.ts";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import type { FieldProps } from "../draft/settings.ts";
import styles from "./fields.module.css";
import { formatDate, formatExact } from "../../../lib/format.ts";
import { JsonBoxOnUse } from "../../../ui/form/json-editor.tsx";

/** The control for an option that holds JSON: the editor, with the default as its template. */
export const JsonField = ({ field, id, describedBy }: FieldProps) =>
  field.isReadOnly ? (
    <Textarea
      id={id}
      aria-describedby={describedBy}
      classNames={{ input: styles.area ?? "" }}
      autosize
      maxRows={16}
      value={field.text}
      readOnly
    />
  ) : (
    <JsonBoxOnUse
      id={id}
      labelledBy={`${id}-label`}
      value={field.text}
      onChange={field.set}
      template={field.description.default}
      isInvalid={field.problem !== undefined}
    />
  );

/** Whether the field that has just closed had the focus, which is then for what stands in its place. */
type HadFocus = RefObject<boolean>;

function useFocusLeft(hadFocusRef: HadFocus) {
  const place = useRef<HTMLDivElement>(null);
  // Before the field is unmounted: afterwards no element has the focus.
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

/** The control for a secret: it can be replaced and removed, never read. */
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

const invalid = ({ field }: FieldProps): boolean => field.problem !== undefined;

export const SwitchField = ({ field, id, describedBy }: FieldProps) => (
  <Switch
    id={id}
    aria-describedby={describedBy}
    checked={field.text === "true"}
    onChange={(event) => field.set(String(event.currentTarget.checked))}
  />
);

/** Whole numbers are grouped while the field has no focus: 200,000. */
const grouped = (text: string): string => (/^\d{4,}$/.test(text) ? text.replaceAll(/\B(?=(?:\d{3})+$)/g, ",") : text);

export function NumberTextField(props: FieldProps) {
  const { field, id, describedBy } = props;
  const { t } = useTranslation("options");
  // What is being typed stays as it is, separators and all: another spelling under the caret would throw it to the end.
  const [typed, setTyped] = useState<string>();
  const { kind, unit } = field.description;
  return (
    <TextInput
      id={id}
      aria-describedby={describedBy}
      className={styles.number ?? ""}
      inputMode={kind === "integer" ? "numeric" : "decimal"}
      autoComplete="off"
      rightSection={
        unit === undefined ? undefined : (
          <span className={styles.unit}>{t(`unit.${unit}`, { count: Number(field.text) })}</span>
        )
      }
      rightSectionWidth={unit === undefined ? undefined : 72}
      rightSectionPointerEvents="none"
      value={typed ?? grouped(field.text)}
      error={invalid(props)}
      onBlur={() => setTyped(undefined)}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        field.set(event.currentTarget.value.replaceAll(/[,，\s]/g, ""));
      }}
    />
  );
}

export const LineField = (props: FieldProps) => (
  <TextInput
    id={props.id}
    aria-describedby={props.describedBy}
    className={styles.line ?? ""}
    autoComplete="off"
    spellCheck={false}
    inputMode={props.field.description.kind === "url" ? "url" : "text"}
    placeholder={props.field.description.kind === "url" ? "https://" : undefined}
    value={props.field.text}
    error={invalid(props)}
    onChange={(event) => props.field.set(event.currentTarget.value)}
  />
);

/** More do not fit side by side. */
const MAX_SEGMENTS = 6;

export function ChoiceField({ field, id, label }: FieldProps) {
  const { t } = useTranslation("options");
  const { key, choices = [] } = field.description;
  const options = choices.map((value) => ({
    value,
    text: t(`option.${key}.choice.${value}`, { defaultValue: plainChoice(key, value) }),
  }));
  if (options.length <= MAX_SEGMENTS)
    return <Segmented label={label} options={options} value={field.text} onChange={field.set} />;
  return (
    <div className={styles.line}>
      <ChoiceOnUse id={id} labelledBy={`${id}-label`} choices={options} value={field.text} onChange={field.set} />
    </div>
  );
}

export const TextField = (props: FieldProps) => (
  <Textarea
    id={props.id}
    aria-describedby={props.describedBy}
    classNames={{ input: styles.area ?? "" }}
    autosize
    minRows={3}
    maxRows={16}
    spellCheck={props.field.description.kind === "content"}
    value={props.field.text}
    error={invalid(props)}
    onChange={(event) => props.field.set(event.currentTarget.value)}
  />
);
