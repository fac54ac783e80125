/**
 * Notices by a Telegram bot of the account (https://core.telegram.org/bots/api#sendmessage): the bot's token is part of the path, a text has
 * at most 4096 characters, and an answer has `ok`.
 */
import { jsonField, postJson, type WayDefinition, wholeText } from "./way.ts";

const TEXT_MAX = 4096;
/** Digits, a colon, and the key (https://core.telegram.org/bots/api#authorizing-your-bot). */
const TOKEN = /^\d{1,20}:[\w-]{10,100}$/;
/** A number, negative for a group, or the name of a channel. */
const CHAT = /^(-?\d{1,20}|@\w{3,60})$/;

export const telegram: WayDefinition<"telegram"> = {
  check({ telegram_bot_token: token, telegram_chat_id: chat }) {
    if (!TOKEN.test(token))
      return {
        field: "telegram_bot_token",
        message: "The token of a bot looks like 123456789:AAE…, as BotFather shows it",
      };
    if (!CHAT.test(chat))
      return {
        field: "telegram_chat_id",
        message: "The chat is a number such as 123456789, or the name of a channel such as @name",
      };
    return undefined;
  },
  request: (message, { telegram_bot_token: token, telegram_chat_id: chat }) =>
    postJson(`https://api.telegram.org/bot${token}/sendMessage`, {
      chat_id: chat,
      text: wholeText(message).slice(0, TEXT_MAX),
      link_preview_options: { is_disabled: true },
    }),
  refusal: ({ text }) => (jsonField(text, "ok") === true ? undefined : text),
};
