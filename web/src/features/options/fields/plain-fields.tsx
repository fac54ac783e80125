/** Controls for switches, numbers, lines of text, choices and longer texts. */
import { Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import type { FieldProps } from "../draft/settings.ts";
import styles from "./fields.module.css";

const invalid = ({ field }: FieldProps): boolean => field.problem !== undefined;

export const SwitchField = ({ field, id, describedBy }: FieldProps) => (
  <Switch
    id={id}
    aria-describedby={describedBy}
    checked={field.text === "true"}
    onChange={(event) => field.set(String(event.currentTarget.checked))}
  />
);

/** Whole numbers are grouped while nobody types in them: 200,000. */
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
      rightSection={unit === undefined ? undefined : <span className={styles.unit}>{t(`unit.${unit}`)}</span>}
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
    text: t(`option.${key}.choice.${value}`, { defaultValue: value }),
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
