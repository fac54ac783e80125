/** Fields that a channel adds to the client's request: headers, instructions and switches of single fields; part of the drawer's advanced fields. */
import { Select, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "../../../lib/i18n.ts";
import { HTTP_PROTOCOLS, type ChannelSettingName } from "../../../../../contract/src/channels/channel-form.ts";
import { FormSection } from "../../../ui/form/form-drawer.tsx";
import { OptionalLabel, Toggle } from "../../../ui/form/fields.tsx";
import { type FieldName, type FieldsProps, HEADER_TEMPLATE, REQUEST_TEMPLATE } from "../model/form.ts";
import { type ChannelSetting, withOther } from "../model/setting.ts";
import { JsonField } from "./json-field.tsx";

export const REQUEST_FIELDS: readonly FieldName[] = ["header_override", "settings", "remark"];

const ORDER = ["label", "input", "description", "error"] as const;
const textOf = (error: unknown): string | undefined => (typeof error === "string" ? error : undefined);

/** Switches that stand in `setting`, and whether each is on where it is absent. */
const SWITCHES = [
  { name: "system_prompt_override", isOnWhereAbsent: false },
  { name: "system_prompt_replaces", isOnWhereAbsent: false },
  { name: "pass_through_body_enabled", isOnWhereAbsent: false },
  { name: "pass_agent_headers", isOnWhereAbsent: true },
  { name: "send_trace_context", isOnWhereAbsent: false },
] as const satisfies readonly { name: ChannelSettingName; isOnWhereAbsent: boolean }[];

interface SettingProps {
  setting: ChannelSetting;
  change: (setting: ChannelSetting) => void;
}

/** Whether the mark of loops is sent: as the address says, always, never. */
const HOPS = ["auto", "always", "never"] as const;
const HOPS_SETTING = { auto: undefined, always: true, never: false } as const;
/** The mark of loops between gateways. */
function Hops({ setting, change }: SettingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const sent = setting.others["send_hops"];
  return (
    <Select
      label={t("channel-editor:request.send_hops")}
      description={t("channel-editor:request.send_hops_text")}
      inputWrapperOrder={[...ORDER]}
      allowDeselect={false}
      data={HOPS.map((value) => ({ value, label: t(`channel-editor:request.send_hops_${value}`) }))}
      value={HOPS.find((each) => HOPS_SETTING[each] === sent) ?? "auto"}
      onChange={(value) =>
        change(withOther(setting, "send_hops", HOPS_SETTING[HOPS.find((each) => each === value) ?? "auto"]))
      }
    />
  );
}

/** By which version of HTTP calls go; HTTP/1.1 is what an absent setting says. */
function Protocol({ setting, change }: SettingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <Select
      label={t("channel-editor:request.http_protocol")}
      description={t("channel-editor:request.http_protocol_text")}
      inputWrapperOrder={[...ORDER]}
      allowDeselect={false}
      data={HTTP_PROTOCOLS.map((value) => ({ value, label: t(`channel-editor:request.http_protocol_${value}`) }))}
      value={HTTP_PROTOCOLS.find((each) => each === setting.others["http_protocol"]) ?? "http1"}
      onChange={(value) => change(withOther(setting, "http_protocol", value === "http1" ? undefined : value))}
    />
  );
}

function Prompt({ setting, change }: SettingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const text = setting.others["system_prompt"];
  return (
    <>
      <Textarea
        label={<OptionalLabel>{t("channel-editor:request.systemPrompt")}</OptionalLabel>}
        description={t("channel-editor:request.systemPromptHelp")}
        inputWrapperOrder={[...ORDER]}
        autosize
        minRows={2}
        maxRows={8}
        value={typeof text === "string" ? text : ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          change(withOther(setting, "system_prompt", value === "" ? undefined : value));
        }}
      />
      {SWITCHES.map(({ name, isOnWhereAbsent }) => (
        <Toggle
          key={name}
          isOn={setting.others[name] === undefined ? isOnWhereAbsent : setting.others[name] === true}
          onChange={(isOn) => change(withOther(setting, name, isOn === isOnWhereAbsent ? undefined : isOn))}
          label={t(`channel-editor:request.${name}`)}
          text={t(`channel-editor:request.${name}_text`)}
        />
      ))}
    </>
  );
}

export function RequestFields({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <FormSection title={t("channel-editor:request.title")}>
      <JsonField
        label={t("channel-editor:request.headers")}
        isOptional
        value={form.header_override}
        onChange={(header_override) => set({ header_override })}
        template={HEADER_TEMPLATE}
        help={t("channel-editor:request.headersHelp")}
        error={textOf(errorOf("header_override"))}
      />
      <Prompt setting={form.setting} change={(setting) => set({ setting })} />
      <Hops setting={form.setting} change={(setting) => set({ setting })} />
      <Protocol setting={form.setting} change={(setting) => set({ setting })} />
      <JsonField
        label={t("channel-editor:request.settings")}
        isOptional
        value={form.settings}
        onChange={(settings) => set({ settings })}
        template={REQUEST_TEMPLATE}
        help={t("channel-editor:request.settingsHelp")}
        error={textOf(errorOf("settings"))}
      />
      <TextInput
        label={<OptionalLabel>{t("channel-editor:request.remark")}</OptionalLabel>}
        description={t("channel-editor:request.remarkHelp")}
        inputWrapperOrder={[...ORDER]}
        value={form.remark}
        error={errorOf("remark")}
        onChange={(event) => set({ remark: event.currentTarget.value })}
      />
    </FormSection>
  );
}
