/** The channel's setting as the form has it: what the relay follows, and nothing else. Pure. */

export interface ChannelSetting {
  proxy: string;
}

export function parseSetting(text: string): ChannelSetting {
  if (text.trim() === "") return { proxy: "" };
  // The server stores valid JSON objects only.
  const value: unknown = JSON.parse(text);
  const proxy = typeof value === "object" && value !== null && "proxy" in value ? value.proxy : "";
  return { proxy: typeof proxy === "string" ? proxy : "" };
}

/** The JSON to store, or "" where everything is at its default. */
export const settingText = ({ proxy }: ChannelSetting): string =>
  proxy.trim() === "" ? "" : JSON.stringify({ proxy: proxy.trim() });
