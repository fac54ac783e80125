/** The drawer's first fields: provider, name, key, and what the provider's manifest asks for. */
import { Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelRow, ProviderRow } from "../../../../../contract/src/features/channels.ts";
import { formatDate } from "../../../lib/format.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { Field, FieldLink, FieldLinks, OptionalLabel } from "../../../ui/form/fields.tsx";
import { FieldPair } from "../../../ui/form/form-drawer.tsx";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import styles from "./editor.module.css";
import { asksForVersion, type ChannelForm, withoutVersion } from "../model/form.ts";

/** Help below the field and the error in its place. */
const INPUT_ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

export interface FieldsProps {
  form: ChannelForm;
  set: (change: Partial<ChannelForm>) => void;
  /** The sentence of a field's error, in the reader's language. */
  errorOf: (name: keyof ChannelForm) => ReactNode;
  provider: ProviderRow | undefined;
}

function ProviderSelect({ form, set, providers }: FieldsProps & { providers: readonly ProviderRow[] }) {
  const { t } = useTranslation("channels");
  const id = useId();
  const choices = providers.map(({ id: type, name, mark }) => ({
    value: String(type),
    text: name,
    content: (
      <span className={styles.provider}>
        <ProviderMark type={type} mark={mark} />
        {name}
      </span>
    ),
  }));
  return (
    <Field label={t("form.provider")} htmlFor={id}>
      <ChoiceSelect
        id={id}
        labelledBy={`${id}-label`}
        choices={choices}
        value={String(form.type)}
        onChange={(type) => set({ type: Number(type) })}
      />
    </Field>
  );
}

const HIDDEN = "••••••••••••••••";

function StoredKey({ channel, onReplace }: { channel: ChannelRow; onReplace: () => void }) {
  const { t } = useTranslation("channels");
  const id = useId();
  const text =
    channel.key_first === "" && channel.key_last === ""
      ? `${HIDDEN} (${t("form.keyHidden")})`
      : `${channel.key_first}${HIDDEN}${channel.key_last}`;
  return (
    <Field
      label={t("form.key")}
      htmlFor={id}
      side={
        <FieldLinks>
          <FieldLink onClick={onReplace}>{t("form.keyReplace")}</FieldLink>
        </FieldLinks>
      }
      help={t("form.keyStored")}
    >
      <div className={styles.locked} id={id} role="group" aria-labelledby={`${id}-label`}>
        <IconLock size={15} stroke={1.5} aria-hidden />
        <span className={`mono ${styles.mono}`}>{text}</span>
        {channel.key_set_time > 0 && (
          <span className={styles.when}>{t("form.keySet", { date: formatDate(channel.key_set_time) })}</span>
        )}
      </div>
    </Field>
  );
}

function KeyField({ form, set, errorOf, provider, channel }: FieldsProps & { channel: ChannelRow | undefined }) {
  const { t } = useTranslation("channels");
  const id = useId();
  if (channel !== undefined && form.key === undefined)
    return <StoredKey channel={channel} onReplace={() => set({ key: "" })} />;
  const isEdit = channel !== undefined;
  const error = errorOf("key");
  const side = isEdit && (
    <FieldLinks>
      <FieldLink isQuiet onClick={() => set({ key: undefined })}>
        {t("form.keyKeep")}
      </FieldLink>
    </FieldLinks>
  );
  return (
    <Field
      label={t("form.key")}
      htmlFor={id}
      side={side}
      error={error}
      help={t(isEdit ? "form.keyNew" : "form.keyHelp")}
    >
      <Textarea
        id={id}
        classNames={{ input: "mono" }}
        autoComplete="off"
        spellCheck={false}
        autosize
        minRows={1}
        maxRows={8}
        autoFocus={isEdit}
        placeholder={provider?.key_hint ?? ""}
        error={Boolean(error)}
        value={form.key ?? ""}
        onChange={(event) => set({ key: event.currentTarget.value })}
      />
    </Field>
  );
}

/** An address that ends in /v1 would be called at /v1/v1. */
function VersionNote({ onRemove }: { onRemove: () => void }) {
  const { t } = useTranslation("channels");
  return (
    <span className={styles.versionNote} role="status">
      {t("version.note")} <FieldLink onClick={onRemove}>{t("version.remove")}</FieldLink>
    </span>
  );
}

/** A field of the manifest: its label is a known word of ours, or shown as the manifest says it. */
function ManifestField({
  field,
  form,
  set,
  errorOf,
  provider,
}: FieldsProps & { field: ProviderRow["fields"][number] }) {
  const { t, i18n } = useTranslation("channels");
  const known = i18n.exists(`channels:fields.${field.label}`);
  const label = known ? t(`fields.${field.label}`) : field.label;
  const hasHelp = i18n.exists(`channels:fieldHelp.${field.label}`);
  const [isLeft, setIsLeft] = useState(false);
  // Told once the address is whole: while it is typed every one that ends in /v1/something passes through it.
  const hasVersion = isLeft && field.name === "base_url" && asksForVersion(form, provider);
  const removeVersion = () => set({ base_url: withoutVersion(form.base_url) });
  const placeholder =
    field.name === "base_url" && provider?.default_base_url ? provider.default_base_url : field.placeholder;
  return (
    <TextInput
      label={field.is_required ? label : <OptionalLabel>{label}</OptionalLabel>}
      description={hasVersion ? <VersionNote onRemove={removeVersion} /> : hasHelp && t(`fieldHelp.${field.label}`)}
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

export function ProviderFields({
  providers,
  channel,
  ...props
}: FieldsProps & { providers: readonly ProviderRow[]; channel: ChannelRow | undefined }) {
  const { t } = useTranslation("channels");
  const { form, set, errorOf, provider } = props;
  return (
    <>
      <FieldPair>
        <ProviderSelect {...props} providers={providers} />
        <TextInput
          data-autofocus
          label={t("form.name")}
          placeholder={t("form.namePlaceholder")}
          autoComplete="off"
          error={errorOf("name")}
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      </FieldPair>
      <KeyField {...props} channel={channel} />
      {provider?.fields.map((field) => (
        <ManifestField key={`${provider.id}:${field.name}`} field={field} {...props} />
      ))}
    </>
  );
}
