/** A field that a provider's manifest asks for: free text, or a choice of what it may be. */
import { TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { Field, FieldLink, OptionalLabel } from "../../../ui/form/fields.tsx";
import { asksForVersion, withoutVersion } from "../model/form.ts";
import type { ManifestField as ManifestFieldRow } from "../model/provider.ts";
import styles from "./editor.module.css";
import type { FieldsProps } from "./fields-props.ts";

/** Help below the field and the error in its place. */
const INPUT_ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

type Props = FieldsProps & { field: ManifestFieldRow };

/** Its label and help: known words of ours, or as the manifest says them. */
function useWords({ label }: ManifestFieldRow) {
  const { t, i18n } = useTranslation(["channels", "channel-editor"]);
  const hasHelp = i18n.exists(`channel-editor:fieldHelp.${label}`);
  return {
    label: i18n.exists(`channel-editor:fields.${label}`) ? t(`channel-editor:fields.${label}`) : label,
    help: hasHelp ? t(`channel-editor:fieldHelp.${label}`) : undefined,
  };
}

/** An address that ends in /v1 would be called at /v1/v1. */
function VersionNote({ onRemove }: { onRemove: () => void }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <span className={styles.versionNote} role="status">
      {t("channel-editor:version.note")} <FieldLink onClick={onRemove}>{t("channel-editor:version.remove")}</FieldLink>
    </span>
  );
}

function TextField({ field, form, set, errorOf, provider }: Props) {
  const { label, help } = useWords(field);
  const [isLeft, setIsLeft] = useState(false);
  // Told once the address is whole: while it is typed every one that ends in /v1/something passes through it.
  const hasVersion = isLeft && field.name === "base_url" && asksForVersion(form, provider);
  const removeVersion = () => set({ base_url: withoutVersion(form.base_url) });
  const placeholder =
    field.name === "base_url" && provider?.default_base_url ? provider.default_base_url : field.placeholder;
  return (
    <TextInput
      label={field.is_required ? label : <OptionalLabel>{label}</OptionalLabel>}
      description={hasVersion ? <VersionNote onRemove={removeVersion} /> : help}
      inputWrapperOrder={INPUT_ORDER}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      error={errorOf(field.name)}
      value={form[field.name]}
      onChange={(event) => set({ [field.name]: event.currentTarget.value })}
      onBlur={() => setIsLeft(true)}
    />
  );
}

function ChoiceField({ field, form, set, errorOf }: Props) {
  const { t, i18n } = useTranslation(["channels", "channel-editor"]);
  const { label, help } = useWords(field);
  const id = useId();
  const choices = field.choices.map(({ value, label: name }) => ({
    value,
    text: i18n.exists(`channel-editor:choices.${name}`) ? t(`channel-editor:choices.${name}`) : name,
  }));
  const none = field.is_required ? [] : [{ value: "", text: t("channel-editor:choices.none") }];
  return (
    <Field label={label} htmlFor={id} isOptional={!field.is_required} help={help} error={errorOf(field.name)}>
      <ChoiceSelect
        id={id}
        labelledBy={`${id}-label`}
        choices={[...none, ...choices]}
        value={form[field.name]}
        onChange={(value) => set({ [field.name]: value })}
      />
    </Field>
  );
}

export const ManifestField = (props: Props) =>
  props.field.choices.length > 0 ? <ChoiceField {...props} /> : <TextField {...props} />;
