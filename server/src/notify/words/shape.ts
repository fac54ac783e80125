/** What one language has to say for every notification. `{name}` stands for a value of the event, `{site}` for the site's name, `{time}` for when it happened. */
import type { NotificationCode } from "../../../../contract/src/notifications.ts";

export interface MessageWords {
  subject: string;
  paragraphs: readonly string[];
  /** Name of the value that is shown large, to be typed. */
  code?: string;
  /** A button; `value` names the value that holds its address. */
  action?: { label: string; value: string };
}

export interface LanguageWords {
  messages: Readonly<Record<NotificationCode, MessageWords>>;
  /** Words for values that are codes themselves, by the value's name; what is not among them is shown as it is. */
  valueWords: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** At the end of every mail. */
  footer: string;
}
