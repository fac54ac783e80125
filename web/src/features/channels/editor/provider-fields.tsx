/** The drawer's first fields: provider, name, key, and the fields of the provider's manifest. */
import { Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { lazy, Suspense, useId, useState } from "react";
import { hasText, useTranslation } from "../../../lib/i18n.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { formatDate } from "../../../lib/format.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { Field, FieldLink, FieldLinks, Segmented, OptionalLabel } from "../../../ui/form/fields.tsx";
import { FieldPair } from "../../../ui/form/form-drawer.tsx";
import { providerOf } from "../list/columns.tsx";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { KeyChoiceField, useKeyCount } from "../keys/several-keys-fields.tsx";
import styles from "./editor.module.css";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { useRole } from "../../../lib/viewer.ts";
import { type ChannelForm, movesKey, asksForVersion, withoutVersion, type FieldsProps } from "../model/form.ts";
import { changeTo, type ManifestField as ManifestFieldRow } from "../model/provider.ts";
import { ProviderNotes, useKeyForms } from "./provider-notes.tsx";

/** The channel type of another gateway of this API family. */
const GATEWAY_TYPE = 60;

const GatewayFacts = lazy(async () => ({ default: (await import("./gateway-facts.tsx")).GatewayFacts }));

/** Help below the field and the error in its place. */
const INPUT_ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];

type Props = FieldsProps & { field: ManifestFieldRow };

/** Its label and help: known words of ours, or as the manifest says them. */
function useWords({ label }: ManifestFieldRow) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const hasHelp = hasText(`channel-editor:fieldHelp.${label}`);
  return {
    label: hasText(`channel-editor:fields.${label}`) ? t(`channel-editor:fields.${label}`) : label,
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
  // Shown once the address is complete: while it is typed every one that ends in /v1/something passes through it.
  const hasVersion = isLeft && field.name === "base_url" && asksForVersion(form, provider);
  const removeVersion = () => set({ base_url: withoutVersion(form.base_url) });
  const placeholder =
    field.name === "base_url" && provider?.default_base_url ? provider.default_base_url : field.placeholder;
  return (
    <TextInput
      data-field={field.name}
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
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { label, help } = useWords(field);
  const id = useId();
  const choices = field.choices.map(({ value, label: name }) => ({
    value,
    text: hasText(`channel-editor:choices.${name}`) ? t(`channel-editor:choices.${name}`) : name,
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

/** A field that a provider's manifest asks for: free text, or a choice of what it may be. */
const ManifestField = (props: Props) =>
  props.field.choices.length > 0 ? <ChoiceField {...props} /> : <TextField {...props} />;

function ProviderSelect({ form, set, providers }: FieldsProps & { providers: readonly ProviderRow[] }) {
  const { t } = useTranslation("channels");
  const id = useId();
  const choices = providers.map(({ id: type, name, mark, is_retired: isRetired }) => ({
    value: String(type),
    text: name,
    side: isRetired && t("form.retiredShort"),
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
        onChange={(type) => set(changeTo(form, Number(type), providerOf(providers, Number(type))))}
      />
    </Field>
  );
}

const HIDDEN = "••••••••••••••••";

/** Whether the form would send the stored key elsewhere, which wants it again or the super administrator. */
function useMoveNote(channel: ChannelRow, form: ChannelForm): string | undefined {
  const { t } = useTranslation("channels");
  const mayMove = isRoot(useRole());
  if (!movesKey(channel, form)) return undefined;
  return t(mayMove ? "form.keyMoves" : "form.keyAgain");
}

interface StoredKeyProps extends FieldsProps {
  channel: ChannelRow;
  onReplace: () => void;
}

function StoredKey({ channel, form, errorOf, onReplace }: StoredKeyProps) {
  const { t } = useTranslation("channels");
  const note = useMoveNote(channel, form);
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
      error={errorOf("key")}
      help={note === undefined ? t("form.keyStored") : note}
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

/** A document is read while it is pasted, so that one sees whether it is whole. */
const DOCUMENT_ROWS = 5;

/** Several keys have a list of their own. */
function SeveralKeys({
  channel,
  form,
  errorOf,
  onKeys,
}: FieldsProps & { channel: ChannelRow; onKeys: KeyFieldProps["onKeys"] }) {
  const { t } = useTranslation("channels");
  const note = useMoveNote(channel, form);
  const id = useId();
  const { enabled_key_count: enabled, key_count: count, key_choice } = channel;
  return (
    <Field
      label={t("form.keys")}
      htmlFor={id}
      side={
        <FieldLinks>
          <FieldLink onClick={() => onKeys(channel)}>{t("channel-keys:manage")}</FieldLink>
        </FieldLinks>
      }
      error={errorOf("key")}
      help={note ?? t(key_choice === "in_turn" ? "channel-keys:inTurnHelp" : "channel-keys:randomHelp")}
    >
      <div className={styles.locked} id={id} role="group" aria-labelledby={`${id}-label`}>
        <IconLock size={15} stroke={1.5} aria-hidden />
        <span className={styles.mono}>{t("channel-keys:enabledOf", { enabled, count })}</span>
      </div>
    </Field>
  );
}

/** What several keys make, asked where several were typed. */
function KeysMake({ form, set }: Pick<FieldsProps, "form" | "set">) {
  const { t } = useTranslation("channels");
  const { count } = useKeyCount(form.key ?? "");
  if (count < 2) return null;
  return (
    <div className={styles.keysMake}>
      <Segmented
        label={t("channel-keys:make")}
        value={form.keys_make}
        onChange={(keys_make) => set({ keys_make })}
        options={[
          { value: "channels", text: t("channel-keys:makeChannels", { count }) },
          { value: "one_channel", text: t("channel-keys:makeOne", { count }) },
        ]}
      />
      {form.keys_make === "one_channel" ? (
        <KeyChoiceField value={form.key_choice} onChange={(key_choice) => set({ key_choice })} />
      ) : (
        <p className={styles.keysNote}>{t("channel-keys:makeChannelsHelp")}</p>
      )}
    </div>
  );
}

interface KeyFieldProps extends FieldsProps {
  channel: ChannelRow | undefined;
  onKeys: (channel: ChannelRow) => void;
}

function KeyField({ form, set, errorOf, provider, channel, onKeys }: KeyFieldProps) {
  const { t } = useTranslation("channels");
  const id = useId();
  const { words } = useKeyCount(channel === undefined ? (form.key ?? "") : "");
  const keyForms = useKeyForms(provider);
  if (channel !== undefined && channel.key_choice !== "one")
    return <SeveralKeys {...{ form, set, errorOf, provider, channel, onKeys }} />;
  if (channel !== undefined && form.key === undefined)
    return <StoredKey {...{ form, set, errorOf, provider, channel }} onReplace={() => set({ key: "" })} />;
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
      help={
        <>
          {keyForms !== "" && <span className={styles.keyForm}>{t("form.keyForm", { forms: keyForms })}</span>}
          {isEdit ? t("form.keyNew") : words || t("form.keyHelp")}
        </>
      }
    >
      <Textarea
        id={id}
        data-field="key"
        classNames={{ input: "mono" }}
        autoComplete="off"
        spellCheck={false}
        autosize
        minRows={provider?.is_key_document === true ? DOCUMENT_ROWS : 1}
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

export function ProviderFields({
  providers,
  channel,
  onKeys,
  ...props
}: KeyFieldProps & { providers: readonly ProviderRow[] }) {
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
      <ProviderNotes provider={provider} />
      <KeyField {...props} channel={channel} onKeys={onKeys} />
      {channel === undefined && <KeysMake {...props} />}
      {provider?.fields.map((field) => (
        <ManifestField key={`${provider.id}:${field.name}`} field={field} {...props} />
      ))}
      {form.type === GATEWAY_TYPE && (
        <Suspense>
          <GatewayFacts baseUrl={form.base_url} />
        </Suspense>
      )}
    </>
  );
}
