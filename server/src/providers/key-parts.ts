/** Splits a channel's key that has parts, joined by bars: `AccessKey|SecretKey|Region`. */

/** The parts in their order, trimmed. */
export const keyParts = (key: string): string[] => key.split("|").map((part) => part.trim());
