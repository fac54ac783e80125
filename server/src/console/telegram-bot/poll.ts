/** The job that polls the Telegram bot: one process under the job's lease, while the option is on. Confirms messages once they are answered. */
import { setTimeout as delay } from "node:timers/promises";
import type { ConsoleContext } from "../http/handlers.ts";
import { answerTo } from "./answer.ts";
import { nextUpdates, sendText, type Update } from "./bot-api.ts";
import { botOf } from "./link.ts";

const LOOK_EVERY_SECONDS = 5;
/** After a failure: Telegram is away, the token is wrong, or another program polls with it. */
const PAUSE_MS = 30_000;

/** One chat's messages in their order; what cannot be sent is logged and given up. */
async function answerChat(context: ConsoleContext, token: string, updates: readonly Update[]): Promise<void> {
  for (const { message } of updates) {
    if (message === undefined) continue;
    const text = await answerTo(context, message);
    if (text === undefined) continue;
    await sendText(context, token, message.chat.id, text).catch((error: unknown) =>
      context.logger.warn({ err: error }, "an answer of the Telegram bot was not sent"),
    );
  }
}

/** All chats at once: a person who writes much delays no other. At most 50 messages. */
async function answerAll(context: ConsoleContext, token: string, updates: readonly Update[]): Promise<void> {
  const chats = Map.groupBy(updates, ({ message }) => message?.chat.id ?? 0);
  await Promise.all([...chats.values()].map((each) => answerChat(context, token, each)));
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/**
 * Polls until the process stops or the bot is switched off. Messages that came before an end are given again to the process that goes on:
 * a code that was redeemed then counts once, and says so.
 */
export async function pollBot(context: ConsoleContext, signal: AbortSignal): Promise<void> {
  const stop = ended(signal);
  let offset = 0;
  const { token } = botOf(context);
  const isWanted = () => !signal.aborted && botOf(context).isOn && botOf(context).token === token;
  while (isWanted()) {
    try {
      const updates = await Promise.race([nextUpdates(context, token, offset), stop]);
      if (updates === undefined) return;
      await answerAll(context, token, updates);
      offset = Math.max(offset, ...updates.map(({ update_id }) => update_id + 1));
    } catch (error) {
      context.logger.warn({ err: error }, "the Telegram bot could not be polled");
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** The job of the bot. */
export const telegramBotJob = (context: ConsoleContext) => ({
  name: "telegram_bot",
  everySeconds: LOOK_EVERY_SECONDS,
  hasWork: () => Promise.resolve(botOf(context).isOn),
  run: (signal: AbortSignal = new AbortController().signal) => pollBot(context, signal),
});
