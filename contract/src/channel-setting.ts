/** The JSON object `setting` of a channel: what it may hold, for the server that checks it and the form that writes it. */
import { z } from "zod";

const shape = {
  /** Calls of the channel go through it; empty for none. */
  proxy: z.union([z.literal(""), z.string().regex(/^(https?|socks5h?):\/\/[^\s]+$/)]).optional(),
  /** Open calls at a time, 0 for no bound. */
  max_concurrency: z.int().min(0).optional(),
  /** Clients may ask for what costs the upstream more than the model's price. */
  allow_service_tier: z.boolean().optional(),
  /** Answers in the client's own format lose the fields that the format does not have. */
  force_format: z.boolean().optional(),
  /** Clients of chat completions get the thinking among the words. */
  thinking_to_content: z.boolean().optional(),
};

/** Strict: a setting that would be kept and never followed is refused by its name. */
export const channelSettingSchema = z.strictObject(shape);

export type ChannelSettingName = keyof typeof shape;

export const CHANNEL_SETTING_NAMES = Object.keys(shape) as ChannelSettingName[];
