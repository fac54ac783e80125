/** Delivery log of notifications, for the super administrator: the status of each message, never its text. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { NOTIFICATION_WAY_NAMES } from "../notification-ways.ts";
import { DELIVERY_FAILURES } from "../notifications.ts";
import { pathId, queryPage, queryPageSize, queryText } from "../query.ts";

export const MESSAGE_STATUSES = ["waiting", "sent", "failed"] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** One message. Times are Unix seconds, 0 for never. */
export const messageRow = z.object({
  id: z.number(),
  /** A code of NOTIFICATIONS. */
  event: z.string(),
  status: z.enum(MESSAGE_STATUSES),
  method: z.enum(NOTIFICATION_WAY_NAMES),
  /** An email address, a chat of Telegram, or the host of an address, whose other parts may be a secret. */
  recipient: z.string(),
  /** 0 if there is no account yet. */
  user_id: z.number(),
  /** "" where there is no such account. */
  username: z.string(),
  attempts: z.number(),
  created_time: z.number(),
  /** Of the next attempt; only while it waits. */
  next_time: z.number(),
  sent_time: z.number(),
  /** Why the last attempt failed, "" where it did not. */
  failure: z.enum(["", ...DELIVERY_FAILURES]),
  /** What the other side said. */
  failure_detail: z.string(),
  /** Whether it can be tried again: it has not arrived, and what it says still counts. */
  can_retry: z.boolean(),
});
export type MessageRow = z.output<typeof messageRow>;

export const messagePage = z.object({
  items: z.array(messageRow),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
});
export type MessagePage = z.output<typeof messagePage>;

export const listMessages = endpoint({
  method: "GET",
  path: "/api/notification",
  access: "root",
  object: "site",
  summary: "Messages that were written to people, the newest first",
  query: z.object({ p: queryPage(1), page_size: queryPageSize, status: queryText }),
  data: messagePage,
});

export const retryMessage = endpoint({
  method: "POST",
  path: "/api/notification/{id}/retry",
  access: "root",
  object: "site",
  summary: "Tries a message again at once that has not arrived",
  params: pathId,
});
