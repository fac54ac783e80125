/** Answers one message of a person to the bot: who they are by their bound Telegram account, and what the command does. */
import { AppError } from "../../../../contract/src/errors.ts";
import { quotaDisplayOf } from "../../../../contract/src/options/quota-unit.ts";
import { formatQuota } from "../../../../contract/src/quota-display.ts";
import type { Language } from "../../../../contract/src/notifications.ts";
import { nowSeconds } from "../../util/clock.ts";
import { takeTicket } from "../accounts/one-time-codes.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { bind, unbind } from "../identities/bindings.ts";
import { findOwner, type Owner } from "../identity-store.ts";
import { redeemCode } from "../redemptions/redeem.ts";
import { answerText, type Command, languageOf, readCommand, refusalText } from "./commands.ts";
import type { Update } from "./bot-api.ts";
import { isBotTicket } from "./link.ts";

type Message = NonNullable<Update["message"]>;
type Sender = NonNullable<Message["from"]>;

/** Commands of one Telegram account in a minute. */
const COMMANDS_A_MINUTE = 20;
/** Stands where the address of a client would. */
const PLACE = "Telegram";
const ENABLED = 1;

const siteOf = ({ snapshot }: ConsoleContext): Readonly<Record<"site", string>> => ({
  site: snapshot.options.SystemName,
});

const ownerOf = (context: ConsoleContext, { id }: Sender): Promise<Owner | undefined> =>
  findOwner(context.database.kysely, "telegram", String(id));

/** Balance and usage, as the site shows amounts. */
async function amountsOf(context: ConsoleContext, userId: number) {
  const { quota, used_quota } = await context.database.kysely
    .selectFrom("users")
    .select(["quota", "used_quota"])
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  return { left: shown(context, quota), used: shown(context, used_quota) };
}

const shown = ({ snapshot }: ConsoleContext, quota: number): string =>
  formatQuota(quota, quotaDisplayOf(snapshot.options));

/** Binds by the link of the console, which only a confirmed session makes. Throws what `takeTicket` and `bind` throw. */
async function bindBy(context: ConsoleContext, from: Sender, ticket: string): Promise<void> {
  const held = await takeTicket(context, { purpose: "telegram_bot", ticket, now: nowSeconds(context.clock) });
  if (!isBotTicket(held)) throw new AppError("code_invalid");
  const actor = { session: { user: { id: held.userId }, sessionId: held.sessionId }, request: { ip: PLACE } };
  const { id, username, first_name } = from;
  const profile = { subject: String(id), login: username, displayName: first_name, email: undefined };
  await bind(context, actor, "telegram", profile);
}

/** The answer to an enabled account's command. Throws AppError. */
async function run(context: ConsoleContext, owner: Owner, { name, argument }: Command, language: Language) {
  const values = { ...siteOf(context), username: owner.username };
  const actor = { session: { user: { id: owner.id }, sessionId: undefined }, request: { ip: PLACE } };
  if (name === "balance") return answerText(language, "balance", await amountsOf(context, owner.id));
  if (name === "redeem") {
    const user = { id: owner.id, username: owner.username, groupName: owner.group_name };
    const network = `telegram:${owner.id}`;
    const added = await redeemCode(context, { user, ip: PLACE, claim: undefined, network }, argument);
    const amounts = await amountsOf(context, owner.id);
    return answerText(language, "redeemed", { ...amounts, amount: shown(context, added) });
  }
  if (name === "unbind") {
    if (argument.toLowerCase() !== "yes") return answerText(language, "unbindQuestion", values);
    await unbind(context, actor, "telegram");
    return answerText(language, "gone");
  }
  return answerText(language, "help", values);
}

async function replyTo(context: ConsoleContext, from: Sender, command: Command, language: Language): Promise<string> {
  const isBinding = (command.name === "start" || command.name === "bind") && command.argument !== "";
  if (isBinding) await bindBy(context, from, command.argument);
  const owner = await ownerOf(context, from);
  if (owner === undefined || owner.deleted_at !== null) return answerText(language, "unbound", siteOf(context));
  if (owner.status !== ENABLED) return answerText(language, "disabled", siteOf(context));
  if (isBinding) return answerText(language, "bound", { ...siteOf(context), username: owner.username });
  return run(context, owner, command, language);
}

/** Whether this Telegram account may go on; `isFirst`: the refusal is sent now. */
async function limit({ limiter }: ConsoleContext, { id }: Sender): Promise<{ isOver: boolean; isFirst: boolean }> {
  const { isAllowed } = await limiter.take(`telegram_bot:${id}`, COMMANDS_A_MINUTE, 60);
  if (isAllowed) return { isOver: false, isFirst: false };
  return { isOver: true, isFirst: (await limiter.take(`telegram_bot_told:${id}`, 1, 60)).isAllowed };
}

/**
 * The text to answer a message with; undefined for none: messages of groups and of other bots, and of those who write too often.
 * What fails inside is logged and answered in general words.
 */
export async function answerTo(context: ConsoleContext, { chat, from, text }: Message): Promise<string | undefined> {
  if (from === undefined || from.is_bot || chat.type !== "private") return undefined;
  const language = languageOf(from.language_code);
  const { isOver, isFirst } = await limit(context, from);
  if (isOver) return isFirst ? answerText(language, "tooMany") : undefined;
  try {
    return await replyTo(context, from, readCommand(text), language);
  } catch (error) {
    if (error instanceof AppError) return refusalText(language, error.code, error.message);
    context.logger.error({ err: error }, "a command of the Telegram bot failed");
    return answerText(language, "failed");
  }
}
