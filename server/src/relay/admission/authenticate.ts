/** Step 2: a key in one of its forms -> token and user, from the snapshot, in the order and with the codes of reference 2. */
import type { IncomingMessage } from "node:http";
import { isAdmin } from "../../../contract/src/roles.ts";
import type { SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import { type Exchange, type RelayContext, known } from "./exchange.ts";
import { refuseLoops } from "./hops.ts";
import { enterPlayground } from "./playground.ts";
import { KEY_PROTOCOL, offeredProtocols } from "./realtime-path.ts";
import { Refusal } from "./refusal.ts";

const ENABLED = 1;
const EXPIRED = 3;
const EXHAUSTED = 4;
const NEVER = -1;

export interface KeyParts {
  /** Without `sk-`; empty where none was sent. */
  key: string;
  /** What stood behind the key, as written; undefined where nothing did. */
  channel: string | undefined;
}

function headerKey(request: IncomingMessage): string {
  const { headers } = request;
  // Browsers cannot set headers for a WebSocket: their SDKs send the key in the list of subprotocols.
  const item = offeredProtocols(request).find((each) => each.startsWith(KEY_PROTOCOL));
  if (item !== undefined) return item.slice(KEY_PROTOCOL.length);
  const isAnthropic = request.url?.startsWith("/v1/messages") === true;
  const own =
    (isAnthropic ? headers["x-api-key"] : undefined) ??
    headers.authorization ??
    headers["x-api-key"] ??
    headers["api-key"] ??
    headers["x-goog-api-key"] ??
    queryKey(request.url ?? "");
  return Array.isArray(own) ? String(own[0]) : own;
}

/** Gemini's clients may put the key into the query of its own paths; nobody else's are read there. */
function queryKey(url: string): string {
  if (!url.includes("key=") || !/^\/v1(?:beta|alpha)?\/models/.test(url)) return "";
  return new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key") ?? "";
}

/** Takes `Bearer ` and exactly one `sk-` off, then the channel behind the first `-`; token keys have no `-` of their own. */
export function keyParts(header: string): KeyParts {
  const bare = (/^bearer\s/i.test(header) ? header.slice(7) : header).trim();
  const key = bare.startsWith("sk-") ? bare.slice(3) : bare;
  const dash = key.indexOf("-");
  return dash < 0
    ? { key, channel: undefined }
    : { key: key.slice(0, dash), channel: key.slice(dash + 1).split("-")[0] };
}

/** Expired and exhausted are also derived here: the stored status follows later. */
function checkToken(token: SnapshotToken, nowSeconds: number): void {
  if (token.status === EXHAUSTED) throw new Refusal("key_exhausted");
  if (token.status === EXPIRED) throw new Refusal("key_expired");
  if (token.status !== ENABLED) throw new Refusal("key_disabled");
  if (token.expiredTime !== NEVER && token.expiredTime <= nowSeconds) throw new Refusal("key_expired");
}

/** The owner of a token that may be used now. Throws Refusal 401 or 403. */
function ownerOf({ snapshot, nowSeconds }: RelayContext, token: SnapshotToken): SnapshotUser {
  checkToken(token, nowSeconds());
  const user = snapshot.userById(token.userId);
  if (user === undefined || user.isDeleted) throw new Refusal("key_invalid");
  if (user.status !== ENABLED) throw new Refusal("user_banned");
  return user;
}

export interface Caller {
  token: SnapshotToken;
  user: SnapshotUser;
  channel: string | undefined;
}

/** Token and user of a request's key. Throws Refusal 401 or 403. */
export function callerOf(context: RelayContext, request: IncomingMessage): Caller {
  const { key, channel } = keyParts(headerKey(request));
  if (key === "") throw new Refusal("key_missing");
  const token = context.snapshot.tokenByKey(key);
  if (token === undefined) throw new Refusal("key_invalid");
  return { token, user: ownerOf(context, token), channel };
}

function pinnedChannel(exchange: Exchange, caller: Caller): number {
  if (caller.channel === undefined) return 0;
  if (!isAdmin(caller.user.role)) throw new Refusal("channel_choice_forbidden");
  const channel = /^\d{1,15}$/.test(caller.channel)
    ? exchange.context.snapshot.channelById(Number(caller.channel))
    : undefined;
  if (channel === undefined) throw new Refusal("channel_choice_invalid");
  if (channel.status !== ENABLED) throw new Refusal("channel_choice_disabled");
  return channel.id;
}

/** The token's list of addresses holds for every path, the list of models and the billing pages too. */
export function checkAddress(token: SnapshotToken, address: string): void {
  if (token.isAddressAllowed !== undefined && !token.isAddressAllowed(address))
    throw new Refusal("address_not_allowed");
}

/** Fills token, user, pinned channel and address; a promise where a session has to be looked up. Throws Refusal. */
export function authenticate(exchange: Exchange): Promise<void> | undefined {
  refuseLoops(exchange);
  exchange.address = exchange.context.clientAddress(exchange.request);
  if (exchange.asked.isPlayground === true) return enterPlayground(exchange);
  const caller = callerOf(exchange.context, exchange.request);
  exchange.token = caller.token;
  exchange.user = caller.user;
  exchange.pinnedChannelId = pinnedChannel(exchange, caller);
  return undefined;
}

/** Looks at token and user again, for a call that lasts: what was revoked since ends it. Throws Refusal. */
export function authenticateAgain(exchange: Exchange): void {
  const { context, address } = exchange;
  const token = context.snapshot.tokenById(known(exchange.token, "token").id);
  if (token === undefined) throw new Refusal("key_invalid");
  checkAddress(token, address);
  exchange.user = ownerOf(context, token);
  exchange.token = token;
}
