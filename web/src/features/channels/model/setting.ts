/** The channel's setting in the form: a field for each value that the relay reads; unknown values of later versions are kept. Pure. */
import { CHANNEL_SETTING_NAMES, type ChannelSettingName } from "../../../../../contract/src/channels/channel-form.ts";
import { parseLimit } from "./numbers.ts";

export interface ChannelSetting {
  proxy: string;
  /** As typed; blank where the system settings decide. */
  max_concurrency: string;
  /** As typed, in seconds; blank where the environment decides. */
  first_byte_timeout_stream_seconds: string;
  allow_service_tier: boolean;
  force_format: boolean;
  thinking_to_content: boolean;
  /** Values without a field here. */
  others: Readonly<Record<string, unknown>>;
}

const SWITCHES = ["allow_service_tier", "force_format", "thinking_to_content"] as const;
const NUMBERS = ["max_concurrency", "first_byte_timeout_stream_seconds"] as const;
const FIELDS: readonly string[] = ["proxy", ...NUMBERS, ...SWITCHES];
const OTHERS = CHANNEL_SETTING_NAMES.filter((name) => !FIELDS.includes(name));

function parsed(text: string): Readonly<Record<string, unknown>> {
  // The server stores valid JSON objects only.
  const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

export function parseSetting(text: string): ChannelSetting {
  const { proxy, max_concurrency, first_byte_timeout_stream_seconds: firstByte, ...rest } = parsed(text);
  const { allow_service_tier, force_format, thinking_to_content } = rest;
  return {
    proxy: typeof proxy === "string" ? proxy : "",
    max_concurrency: typeof max_concurrency === "number" ? String(max_concurrency) : "",
    first_byte_timeout_stream_seconds: typeof firstByte === "number" ? String(firstByte) : "",
    allow_service_tier: allow_service_tier === true,
    force_format: force_format === true,
    thinking_to_content: thinking_to_content === true,
    others: Object.fromEntries(OTHERS.filter((name) => name in rest).map((name) => [name, rest[name]])),
  };
}

/** The setting with a value that has no field of its own here; undefined takes it out. */
export function withOther(setting: ChannelSetting, name: ChannelSettingName, value: unknown): ChannelSetting {
  const { [name]: _before, ...others } = setting.others;
  return { ...setting, others: value === undefined ? others : { ...others, [name]: value } };
}

/** The JSON to store, or "" where everything is at its default. */
export function settingText(setting: ChannelSetting): string {
  const numbers = NUMBERS.flatMap((name) => {
    const number = parseLimit(setting[name]);
    return number === undefined ? [] : [[name, number] as const];
  });
  const set = {
    ...(setting.proxy.trim() === "" ? {} : { proxy: setting.proxy.trim() }),
    ...Object.fromEntries(numbers),
    ...Object.fromEntries(SWITCHES.flatMap((name) => (setting[name] ? [[name, true]] : []))),
    ...setting.others,
  };
  return Object.keys(set).length === 0 ? "" : JSON.stringify(set);
}
