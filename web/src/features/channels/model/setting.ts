/** The channel's setting as the form has it: fields for some of what the relay follows, the rest of that as it is stored. Pure. */
import { CHANNEL_SETTING_NAMES } from "../../../../../contract/src/channel-setting.ts";

export interface ChannelSetting {
  proxy: string;
  force_format: boolean;
  thinking_to_content: boolean;
  /** What is set and has no field here. */
  others: Readonly<Record<string, unknown>>;
}

const FIELDS: readonly string[] = ["proxy", "force_format", "thinking_to_content"];
const OTHERS = CHANNEL_SETTING_NAMES.filter((name) => !FIELDS.includes(name));

function parsed(text: string): Readonly<Record<string, unknown>> {
  // The server stores valid JSON objects only.
  const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

export function parseSetting(text: string): ChannelSetting {
  const { proxy, force_format, thinking_to_content, ...rest } = parsed(text);
  return {
    proxy: typeof proxy === "string" ? proxy : "",
    force_format: force_format === true,
    thinking_to_content: thinking_to_content === true,
    others: Object.fromEntries(OTHERS.filter((name) => name in rest).map((name) => [name, rest[name]])),
  };
}

/** The JSON to store, or "" where everything is at its default. */
export function settingText({ proxy, force_format, thinking_to_content, others }: ChannelSetting): string {
  const set = {
    ...(proxy.trim() === "" ? {} : { proxy: proxy.trim() }),
    ...(force_format ? { force_format } : {}),
    ...(thinking_to_content ? { thinking_to_content } : {}),
    ...others,
  };
  return Object.keys(set).length === 0 ? "" : JSON.stringify(set);
}
