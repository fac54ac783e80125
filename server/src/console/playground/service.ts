/**
 * Share links of chats: made, listed, removed and read. The snapshot is stored as it was sent and not sealed: its owner published it to
 * anyone with the link, sealed rows would have to be written anew with each change of SECRET_KEY, and the id in the same row opens it anyway.
 */
import { randomBytes } from "node:crypto";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  CHAT_SHARE_BYTES_MAX,
  CHAT_SHARES_MAX,
  type ChatShare,
  type SharedChat,
  sharedChat,
} from "../../../../contract/src/features/playground.ts";
import { affectedRows, locked } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import { parseJson } from "../../util/json-read.ts";
import { storable } from "../../util/text.ts";
import type { ConsoleContext } from "../http/handlers.ts";

type ShareContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

const DAY_SECONDS = 86_400;
const ID_BYTES = 16;
const COLUMNS = ["id", "title", "created_time", "expires_time", "bytes", "has_system"] as const;

const shareOf = <Row extends Omit<ChatShare, "has_system"> & { has_system: number }>(row: Row): ChatShare => ({
  id: row.id,
  title: row.title,
  created_time: row.created_time,
  expires_time: row.expires_time,
  bytes: row.bytes,
  has_system: row.has_system === 1,
});

/** Links of the account that still open, the newest first. */
export async function listShares({ database, clock }: ShareContext, userId: number): Promise<ChatShare[]> {
  const rows = await database.kysely
    .selectFrom("chat_shares")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .where("expires_time", ">", nowSeconds(clock))
    .orderBy("created_time", "desc")
    .orderBy("id")
    .execute();
  return rows.map(shareOf);
}

/**
 * Stores the chat under a new id.
 * @param days until the link expires
 * @throws AppError chat_share_off, chat_share_too_large where it has more than CHAT_SHARE_BYTES_MAX, chat_share_limit where the account has
 * CHAT_SHARES_MAX links that still open.
 */
export async function createShare(
  { database, snapshot, clock }: ShareContext,
  userId: number,
  { title, chat, days }: { title: string; chat: SharedChat; days: number },
): Promise<ChatShare> {
  if (!snapshot.options.ChatShareEnabled) throw new AppError("chat_share_off");
  const content = JSON.stringify(chat);
  const bytes = Buffer.byteLength(content);
  if (bytes > CHAT_SHARE_BYTES_MAX) throw new AppError("chat_share_too_large", { field: "chat" });
  const now = nowSeconds(clock);
  const row = {
    id: randomBytes(ID_BYTES).toString("base64url"),
    user_id: userId,
    title: storable(title),
    created_time: now,
    expires_time: now + days * DAY_SECONDS,
    bytes,
    has_system: chat.system === undefined ? 0 : 1,
    content,
  };
  await database.kysely.transaction().execute(async (transaction) => {
    // Those who share for one account at once do so one after the other, so that none goes beyond the limit; who is deleted shares nothing more.
    const account = transaction.selectFrom("users").select("deleted_at").where("id", "=", userId);
    const owner = await locked(database, account).executeTakeFirstOrThrow();
    if (owner.deleted_at !== null) throw new AppError("not_found");
    const own = transaction.selectFrom("chat_shares").where("user_id", "=", userId).where("expires_time", ">", now);
    const { count } = await own
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .executeTakeFirstOrThrow();
    if (Number(count) >= CHAT_SHARES_MAX) throw new AppError("chat_share_limit");
    await transaction.insertInto("chat_shares").values(row).execute();
  });
  return shareOf(row);
}

/** Throws AppError not_found where there is none of this id, or it is another's. */
export async function removeShare({ database }: ShareContext, userId: number, id: string): Promise<void> {
  const removed = database.kysely.deleteFrom("chat_shares").where("id", "=", id).where("user_id", "=", userId);
  if (affectedRows(await removed.executeTakeFirstOrThrow()) !== 1) throw new AppError("not_found");
}

interface OpenedShare {
  title: string;
  created_time: number;
  expires_time: number;
  chat: SharedChat;
}

/** The chat of a link. Throws AppError chat_share_gone, whatever the reason that it does not open. */
export async function readShare({ database, snapshot, clock }: ShareContext, id: string): Promise<OpenedShare> {
  if (!snapshot.options.ChatShareEnabled) throw new AppError("chat_share_gone");
  const row = await database.kysely
    .selectFrom("chat_shares")
    .innerJoin("users", "users.id", "chat_shares.user_id")
    .select(["title", "chat_shares.created_time", "expires_time", "content"])
    .where("chat_shares.id", "=", id)
    .where("expires_time", ">", nowSeconds(clock))
    // An account that is disabled publishes nothing either.
    .where("users.status", "=", USER_STATUS.enabled)
    .where("users.deleted_at", "is", null)
    .executeTakeFirst();
  const chat = sharedChat.safeParse(row === undefined ? undefined : parseJson(row.content));
  if (row === undefined || !chat.success) throw new AppError("chat_share_gone");
  const { title, created_time, expires_time } = row;
  return { title, created_time, expires_time, chat: chat.data };
}
