/** The three calls of Telegram's Bot API that the bot makes (https://core.telegram.org/bots/api): what people wrote, by long polling, an answer, and who the bot is. */
import { z } from "zod";
import { Fault } from "../../../../contract/src/fault.ts";
import { type ConsoleContext, addressOf } from "../http/handlers.ts";

export type BotContext = Pick<ConsoleContext, "relay" | "site">;

/** How long Telegram holds a question open while there is nothing new. */
const POLL_SECONDS = 25;
const TIMEOUT_MS = 10_000;
/** Messages of one answer; one has at most 4096 characters. */
const MOST_UPDATES = 50;
const ANSWER_BYTES = 2 * 1024 * 1024;

const message = z.object({
  text: z.string().default(""),
  chat: z.object({ id: z.number(), type: z.string() }),
  from: z
    .object({
      id: z.number(),
      is_bot: z.boolean().default(false),
      username: z.string().default(""),
      first_name: z.string().default(""),
      language_code: z.string().default(""),
    })
    .optional(),
});
const update = z.object({ update_id: z.int(), message: message.optional() });
export type Update = z.output<typeof update>;

const answer = z.object({ ok: z.boolean(), description: z.string().default(""), result: z.unknown() });

/** `status`: what Telegram answered; 409 means that another program polls with this token, or a webhook is set. */
class BotFault extends Fault<"status" | "unreadable"> {}

/** @throws BotFault, AppError upstream_failed or address_refused; none of them has the token. */
async function call({ relay, site }: BotContext, token: string, method: string, body: object, timeoutMs: number) {
  const { status, body: text } = await relay.fetchGuarded({
    method: "POST",
    url: `${addressOf(site, "https://api.telegram.org")}/bot${token}/${method}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    limits: { bytes: ANSWER_BYTES, timeoutMs },
  });
  const read = answer.safeParse(safeJson(text));
  if (!read.success) throw new BotFault("unreadable", `${method}: ${status}`);
  if (!read.data.ok)
    throw new BotFault("status", `${method}: ${status} ${read.data.description}`.replaceAll(token, "***"));
  return read.data.result;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The messages from `offset` on, which confirms those before it; waits up to 25 s for the first one. */
export async function nextUpdates(context: BotContext, token: string, offset: number): Promise<Update[]> {
  const asked = { offset, limit: MOST_UPDATES, timeout: POLL_SECONDS, allowed_updates: ["message"] };
  const result = await call(context, token, "getUpdates", asked, POLL_SECONDS * 1000 + TIMEOUT_MS);
  const updates = z.array(z.unknown()).safeParse(result);
  if (!updates.success) throw new BotFault("unreadable", "getUpdates: no list");
  // A form of message that is unknown here is passed over; it is confirmed with the others.
  return updates.data.flatMap((each) => {
    const known = update.safeParse(each);
    if (known.success) return [known.data];
    const bare = z.object({ update_id: z.int() }).safeParse(each);
    return bare.success ? [{ update_id: bare.data.update_id, message: undefined }] : [];
  });
}

/** The identity of this token's bot. @throws as the others */
export async function askBot(context: BotContext, token: string): Promise<{ username: string }> {
  const found = z.object({ username: z.string() }).safeParse(await call(context, token, "getMe", {}, TIMEOUT_MS));
  if (!found.success) throw new BotFault("unreadable", "getMe: no bot");
  return found.data;
}

/** Writes to a chat. */
export async function sendText(context: BotContext, token: string, chatId: number, text: string): Promise<void> {
  const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
  await call(context, token, "sendMessage", body, TIMEOUT_MS);
}
