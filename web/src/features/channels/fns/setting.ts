/** The channel's setting: the three switches the relay knows, with whatever else its JSON holds kept. Pure. */

export interface ChannelSetting {
  proxy: string;
  force_format: boolean;
  thinking_to_content: boolean;
  /** Settings this form does not know, as they were. */
  rest: Readonly<Record<string, unknown>>;
}

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  // The server stores valid JSON objects only.
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function parseSetting(text: string): ChannelSetting {
  const { proxy, force_format, thinking_to_content, ...rest } = parseObject(text);
  return {
    proxy: typeof proxy === "string" ? proxy : "",
    force_format: force_format === true,
    thinking_to_content: thinking_to_content === true,
    rest,
  };
}

/** The JSON to store, or "" where everything is at its default. */
export function settingText({ proxy, force_format, thinking_to_content, rest }: ChannelSetting): string {
  const value = {
    ...rest,
    ...(force_format ? { force_format } : {}),
    ...(thinking_to_content ? { thinking_to_content } : {}),
    ...(proxy.trim() === "" ? {} : { proxy: proxy.trim() }),
  };
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
}
