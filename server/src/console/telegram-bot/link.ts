/** The bot as the options have it, and the link of the console by which a person binds their Telegram account through it. */
import { AppError } from "../../../../contract/src/errors.ts";
import { nowSeconds } from "../../util/clock.ts";
import { giveTicket } from "../accounts/one-time-codes.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";

/** Whom a link was made for. */
export interface BotTicket {
  userId: number;
  sessionId: string;
}

export const isBotTicket = (value: unknown): value is BotTicket =>
  typeof value === "object" && value !== null && "userId" in value && "sessionId" in value;

/** `name` is the bot's user name, without its @. */
export const botOf = ({
  snapshot,
}: Pick<ConsoleContext, "snapshot">): { isOn: boolean; token: string; name: string } => {
  const { TelegramBotEnabled, TelegramBotToken, TelegramBotName } = snapshot.options;
  return { isOn: TelegramBotEnabled && TelegramBotToken !== "", token: TelegramBotToken, name: TelegramBotName };
};

/**
 * A link that binds the Telegram account which opens it to the account of the session; it counts once, for ten minutes.
 * @throws AppError identity_off where the bot is switched off, session_required
 */
export async function makeBotLink(
  context: ConsoleContext,
  { user, sessionId }: Pick<Session, "user" | "sessionId">,
): Promise<{ code: string; link: string }> {
  const { isOn, name } = botOf(context);
  if (!isOn) throw new AppError("identity_off");
  if (sessionId === undefined) throw new AppError("session_required");
  const payload: BotTicket = { userId: user.id, sessionId };
  const code = await giveTicket(context, { purpose: "telegram_bot", payload, now: nowSeconds(context.clock) });
  return { code, link: `https://t.me/${encodeURIComponent(name)}?start=${code}` };
}
