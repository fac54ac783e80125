/** What may decide among the channels of one priority: the values of the option ChannelChoice. */
export const CHANNEL_CHOICES = ["weight", "latency", "cost"] as const;
