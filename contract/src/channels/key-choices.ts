/** Numbers and names of several keys in one channel, apart from their endpoints: whoever lists channels needs these alone. */
import { z } from "zod";

/** The most keys that one channel holds. */
export const KEYS_PER_CHANNEL_MAX = 1000;

/** How a call gets its key, by the number that is stored with the channel. */
export const KEY_CHOICES = ["one", "random", "in_turn"] as const;
export type KeyChoiceName = (typeof KEY_CHOICES)[number];

/** What stands for a number that a later version wrote. */
export const keyChoiceOf = (stored: number): KeyChoiceName => KEY_CHOICES[stored] ?? "random";
export const storedKeyChoice = (choice: KeyChoiceName): number => KEY_CHOICES.indexOf(choice);

/** How a call gets one of several keys. */
export const severalKeysChoice = z.literal(["random", "in_turn"]);

/** Status 2: somebody switched it off. Status 3: a call showed that it is no good. */
export const KEY_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
