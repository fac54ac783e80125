/** Share links of chats of the playground: a read-only snapshot that anybody with the link reads while the site allows it, and its owner's list of them. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

/** Longest snapshot: bytes of its JSON, with its pictures. */
export const CHAT_SHARE_BYTES_MAX = 2 * 1024 * 1024;
/** Most links of one account that have not expired. */
export const CHAT_SHARES_MAX = 20;
export const CHAT_SHARE_DAYS_MAX = 365;
export const CHAT_SHARE_DAYS_DEFAULT = 30;
/** Longest title in characters. */
export const CHAT_SHARE_TITLE_MAX = 120;
/** A body has the snapshot and a few fields beside it; what is a little too long is refused by its size. */
const BODY_BYTES = CHAT_SHARE_BYTES_MAX + 512 * 1024;

const LANES_MAX = 4;
const MESSAGES_MAX = 2000;
const PICTURES_MAX = 16;
const FILES_MAX = 16;
const NAME_MAX = 300;

/** Pictures are part of the snapshot: a link to one would tell its host who reads the page. */
const picture = z.string().regex(/^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/);

const sharedMessage = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.string(),
  images: z.array(picture).max(PICTURES_MAX).optional(),
  /** Names of files that were sent with it; the files are not in the snapshot. */
  files: z.array(z.string().max(NAME_MAX)).max(FILES_MAX).optional(),
  reasoning: z.string().optional(),
  /** Of an answer: the model that wrote it. */
  model: z.string().max(NAME_MAX).optional(),
  tool_calls: z
    .array(z.object({ name: z.string().max(NAME_MAX), arguments: z.string() }))
    .max(128)
    .optional(),
});
export type SharedMessage = z.output<typeof sharedMessage>;

/** What a link shows. Fields that are not named here (costs, request ids, tools, ids) are never stored. */
export const sharedChat = z.object({
  /** Only where the owner chose to show it. */
  system: z.string().optional(),
  /** One thread for each model that was asked. */
  lanes: z
    .array(z.object({ model: z.string().max(NAME_MAX), messages: z.array(sharedMessage).min(1).max(MESSAGES_MAX) }))
    .min(1)
    .max(LANES_MAX),
});
export type SharedChat = z.output<typeof sharedChat>;

const title = z.string().trim().max(CHAT_SHARE_TITLE_MAX);

/** Times are Unix seconds. */
const chatShare = z.object({
  /** The last part of the link's address `/share/<id>`: 128 random bits. */
  id: z.string(),
  title: z.string(),
  created_time: z.number(),
  expires_time: z.number(),
  bytes: z.number(),
  /** Whether the system prompt is shown. */
  has_system: z.boolean(),
});
export type ChatShare = z.output<typeof chatShare>;

const ownShares = { path: "/api/chat/share", access: "user", object: "own", sessionOnly: true } as const;

export const listChatShares = endpoint({
  ...ownShares,
  method: "GET",
  summary: "Share links of the own account that have not expired, the newest first",
  data: z.array(chatShare),
});

export const createChatShare = endpoint({
  ...ownShares,
  method: "POST",
  summary:
    "Makes a link that shows this chat as it is now to anybody who has it, while ChatShareEnabled is on, until it expires, is removed or the account ends",
  body: z.object({
    title,
    chat: sharedChat,
    days: z.number().int().min(1).max(CHAT_SHARE_DAYS_MAX).default(CHAT_SHARE_DAYS_DEFAULT),
  }),
  bodyBytes: BODY_BYTES,
  data: chatShare,
});

/** Anything that cannot be an id becomes "", which no row has. */
const shareId = z.object({ id: z.string().transform((value) => (/^[\w-]{22}$/.test(value) ? value : "")) });

export const deleteChatShare = endpoint({
  ...ownShares,
  method: "DELETE",
  path: "/api/chat/share/{id}",
  summary: "Removes a share link of the own account; it answers 404 from then on",
  params: shareId,
});

export const readChatShare = endpoint({
  method: "GET",
  path: "/api/share/{id}",
  access: "public",
  object: "none",
  summary:
    "The chat of a share link: 404 where it has expired, was removed, its owner's account is closed or ChatShareEnabled is off",
  params: shareId,
  data: z.object({ title: z.string(), created_time: z.number(), expires_time: z.number(), chat: sharedChat }),
});
