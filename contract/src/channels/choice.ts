/** Strategies for choosing among channels of the same priority: the values of the option ChannelChoice. */
export const CHANNEL_CHOICES = ["weight", "latency", "cost"] as const;
