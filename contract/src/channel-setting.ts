/** The JSON object `setting` of a channel: its schema, for the server that checks it and the form that writes it. */
import { z } from "zod";

const shape = {
  /** Proxy that the channel's calls go through; empty for none. */
  proxy: z.union([z.literal(""), z.string().regex(/^(https?|socks5h?):\/\/[^\s]+$/)]).optional(),
  /** Calls that may be open at the same time; 0 for no limit. */
  max_concurrency: z.int().min(0).optional(),
  /** Clients may ask for a service tier that costs more than the model's price. */
  allow_service_tier: z.boolean().optional(),
  /** Fields that the client's format does not define are removed from answers. */
  force_format: z.boolean().optional(),
  /** Chat completions deliver the model's thinking inside the content. */
  thinking_to_content: z.boolean().optional(),
};

/** Strict, so that an unknown setting is refused by name instead of being stored without effect. */
export const channelSettingSchema = z.strictObject(shape);

export type ChannelSettingName = keyof typeof shape;

export const CHANNEL_SETTING_NAMES = Object.keys(shape) as ChannelSettingName[];
