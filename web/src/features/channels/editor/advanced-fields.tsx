/** The drawer's advanced fields, collapsed until opened or until one of them is refused; open where they can only be read. What a test finds opens none: the test would be pushed away. */
import { Autocomplete, TextInput } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { OptionalLabel, Toggle } from "../../../ui/form/fields.tsx";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import styles from "./editor.module.css";
import { type ChannelForm, type FieldName, STATUS_TEMPLATE, type FieldsProps } from "../model/form.ts";
import { asNumber, asText, isLimit } from "../model/numbers.ts";
import { settingText } from "../model/setting.ts";
import { NumberField } from "../../../ui/form/number-field.tsx";
import { JsonField } from "./json-field.tsx";
import { OverrideField } from "./override-field.tsx";
import { REQUEST_FIELDS, RequestFields } from "./request-fields.tsx";

const ADVANCED_FIELDS: readonly FieldName[] = [
  "status_code_mapping",
  "param_override",
  "setting",
  "test_model",
  ...REQUEST_FIELDS,
];

function isUsed(form: ChannelForm): boolean {
  const { status_code_mapping, param_override, test_model, header_override, settings, remark } = form;
  const texts = [status_code_mapping, param_override, test_model, header_override, settings, remark];
  return settingText(form.setting) !== "" || texts.some((text) => text !== "");
}

/** The field of the setting that its one error is about: the first that cannot be as it is, else the proxy, which the server checks too. */
function faultyField({ setting }: ChannelForm): keyof ChannelForm["setting"] {
  if (!isLimit(setting.max_concurrency, 0)) return "max_concurrency";
  return isLimit(setting.first_byte_timeout_stream_seconds, 1) ? "proxy" : "first_byte_timeout_stream_seconds";
}

function ProxyField({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <TextInput
      label={<OptionalLabel>{t("channel-editor:form.proxy")}</OptionalLabel>}
      description={t("channel-editor:form.proxyHelp")}
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder="socks5://127.0.0.1:1080"
      error={faultyField(form) === "proxy" ? errorOf("setting") : undefined}
      value={form.setting.proxy}
      onChange={(event) => set({ setting: { ...form.setting, proxy: event.currentTarget.value } })}
    />
  );
}

function OpenCallsField({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { setting } = form;
  return (
    <NumberField
      label={<OptionalLabel>{t("channel-editor:form.concurrency")}</OptionalLabel>}
      description={t("channel-editor:form.concurrencyHelp")}
      placeholder={t("channel-editor:form.asSettings")}
      min={0}
      error={faultyField(form) === "max_concurrency" ? errorOf("setting") : undefined}
      value={asNumber(setting.max_concurrency)}
      onChange={(limit) => set({ setting: { ...setting, max_concurrency: asText(limit) } })}
    />
  );
}

function FirstByteField({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { setting } = form;
  return (
    <NumberField
      label={<OptionalLabel>{t("channel-editor:form.firstByte")}</OptionalLabel>}
      description={t("channel-editor:form.firstByteHelp")}
      placeholder={t("channel-editor:form.asEnvironment")}
      data-field="setting"
      min={1}
      error={faultyField(form) === "first_byte_timeout_stream_seconds" ? errorOf("setting") : undefined}
      value={asNumber(setting.first_byte_timeout_stream_seconds)}
      onChange={(seconds) => set({ setting: { ...setting, first_byte_timeout_stream_seconds: asText(seconds) } })}
    />
  );
}

function Switches({ form, set }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { setting } = form;
  return (
    <>
      <Toggle
        isOn={setting.allow_service_tier}
        onChange={(allow_service_tier) => set({ setting: { ...setting, allow_service_tier } })}
        label={t("channel-editor:form.serviceTier")}
        text={t("channel-editor:form.serviceTierText")}
      />
      <Toggle
        isOn={setting.thinking_to_content}
        onChange={(thinking_to_content) => set({ setting: { ...setting, thinking_to_content } })}
        label={t("channel-editor:form.thinkingToContent")}
        text={t("channel-editor:form.thinkingToContentText")}
      />
      <Toggle
        isOn={setting.force_format}
        onChange={(force_format) => set({ setting: { ...setting, force_format } })}
        label={t("channel-editor:form.forceFormat")}
        text={t("channel-editor:form.forceFormatText")}
      />
    </>
  );
}

const SettingFields = (props: FieldsProps) => (
  <>
    <ProxyField {...props} />
    <OpenCallsField {...props} />
    <FirstByteField {...props} />
    <Switches {...props} />
  </>
);

function TestModel({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <Autocomplete
      label={<OptionalLabel>{t("channel-editor:form.testModel")}</OptionalLabel>}
      placeholder={t("channel-editor:form.testModelPlaceholder")}
      data={[...form.models]}
      value={form.test_model}
      error={errorOf("test_model")}
      onChange={(test_model) => set({ test_model })}
    />
  );
}

const textOf = (error: unknown): string | undefined => (typeof error === "string" ? error : undefined);

interface AdvancedProps extends FieldsProps {
  /** Undefined until they are opened or closed: they begin open where one of them is used. */
  isOpen: boolean | undefined;
  onToggle: (isOpen: boolean) => void;
  isRefused: (name: FieldName) => boolean;
}

function Disclosure({ isOpen, onToggle }: { isOpen: boolean; onToggle: AdvancedProps["onToggle"] }) {
  const { t } = useTranslation("channel-editor");
  return (
    <div>
      <button type="button" className={styles.disclosure} aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
        <IconChevronRight size={14} stroke={1.5} aria-hidden />
        {t("form.advanced")}
      </button>
    </div>
  );
}

export function AdvancedFields({ isOpen, onToggle, isRefused, ...props }: AdvancedProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { form, set, errorOf } = props;
  const [isOpenAtFirst] = useState(() => isUsed(form));
  const isLocked = useIsLocked();
  const isShown = isLocked || (isOpen ?? isOpenAtFirst) || ADVANCED_FIELDS.some(isRefused);
  return (
    <>
      {!isLocked && <Disclosure isOpen={isShown} onToggle={onToggle} />}
      {isShown && (
        <>
          <JsonField
            label={t("channel-editor:form.statusMapping")}
            isOptional
            value={form.status_code_mapping}
            onChange={(status_code_mapping) => set({ status_code_mapping })}
            template={STATUS_TEMPLATE}
            help={t("channel-editor:form.statusMappingHelp")}
            error={textOf(errorOf("status_code_mapping"))}
          />
          <OverrideField {...props} />
          <SettingFields {...props} />
          <TestModel {...props} />
          <RequestFields {...props} />
        </>
      )}
    </>
  );
}
