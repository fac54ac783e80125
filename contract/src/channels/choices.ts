/** Constants of channels with several keys, apart from their endpoints, so that channel lists import these alone. */
import { z } from "zod";

/** The most keys that one channel holds. */
export const KEYS_PER_CHANNEL_MAX = 1000;

/** How a call gets its key, by the number that is stored with the channel. */
export const KEY_CHOICES = ["one", "random", "in_turn"] as const;
/** Its name, as the API has it. */
export type KeyChoiceName = (typeof KEY_CHOICES)[number];

/** The name of a stored number; `random` stands for one that a later version wrote. */
export const keyChoiceOf = (stored: number): KeyChoiceName => KEY_CHOICES[stored] ?? "random";

/** The number that a channel's row has for the name. */
export const storedKeyChoice = (choice: KeyChoiceName): number => KEY_CHOICES.indexOf(choice);

/** How a call gets one of several keys. */
export const severalKeysChoice = z.literal(["random", "in_turn"]);

/** Status 2: disabled by an administrator. Status 3: disabled automatically, after a failed call. */
export const KEY_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** What may decide among the channels of one priority: the values of the option ChannelChoice. */
export const CHANNEL_CHOICES = ["weight", "latency", "cost"] as const;
