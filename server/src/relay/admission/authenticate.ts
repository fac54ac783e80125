/** Step 1: a key in one of its forms -> token and user, from the snapshot, in one fixed order, each refusal with a code of its own. */
import type { IncomingMessage } from "node:http";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import type { SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Endpoint, protocolKey } from "../request/paths.ts";
import { type Caller, checkAddress } from "./caller.ts";
import { refuseLoops } from "./loop-detection.ts";
import { enterPlayground } from "./playground.ts";

const NEVER = -1;

export interface KeyParts {
  /** Without `sk-`; empty where none was sent. */
  key: string;
  /** What stood behind the key, as written; undefined where nothing did. */
  channel: string | undefined;
}

function headerKey(request: IncomingMessage): string {
  const { headers } = request;
  const offered = protocolKey(request);
  if (offered !== undefined) return offered;
  if (isDrawingUrl(request.url ?? "")) return drawingKey(headers);
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

const isDrawingUrl = (url: string): boolean => /^\/mj(?:-\w+)?\//.test(url);

/** Clients of Midjourney proxies send the key as the proxy's secret, some of them beside a fixed word. */
function drawingKey({ authorization, ...headers }: IncomingMessage["headers"]): string {
  const secret = headers["mj-api-secret"];
  if (authorization !== undefined && !/^(?:bearer\s+)?midjourney-proxy$/i.test(authorization)) return authorization;
  return Array.isArray(secret) ? String(secret[0]) : (secret ?? "");
}

/** Gemini's clients may put the key into the query of its own paths, and older ones of this API family into that of a token's log; no others' is read there. */
function queryKey(url: string): string {
  if (!url.includes("key=") || !/^\/(?:v1(?:beta|alpha)?\/models|api\/log\/token)/.test(url)) return "";
  return new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key") ?? "";
}

function bareKey(header: string): string {
  const bare = (/^bearer\s/i.test(header) ? header.slice(7) : header).trim();
  return bare.startsWith("sk-") ? bare.slice(3) : bare;
}

/** Takes `Bearer ` and exactly one `sk-` off, then the channel behind the first `-`; keys that are made here have no `-` of their own. */
export function keyParts(header: string): KeyParts {
  const key = bareKey(header);
  const dash = key.indexOf("-");
  return dash < 0
    ? { key, channel: undefined }
    : { key: key.slice(0, dash), channel: key.slice(dash + 1).split("-")[0] };
}

/** What a header may mean, in the order of look-up: imported keys may have any number of `-`, with or without a channel behind. */
function keyReadings(header: string): KeyParts[] {
  const key = bareKey(header);
  const parts = keyParts(header);
  if (parts.channel === undefined) return [parts];
  const last = key.lastIndexOf("-");
  const whole = { key, channel: undefined };
  return last === parts.key.length
    ? [whole, parts]
    : [whole, { key: key.slice(0, last), channel: key.slice(last + 1) }, parts];
}

/** The token of a key, and the channel behind it. Throws RelayError key_missing or key_invalid. */
function findToken({ snapshot }: RelayContext, request: IncomingMessage) {
  const readings = keyReadings(headerKey(request));
  if (readings[0]?.key === "") throw new RelayError("key_missing");
  for (const { key, channel } of readings) {
    const token = key === "" ? undefined : snapshot.tokenByKey(key);
    if (token !== undefined) return { token, channel, key };
  }
  throw new RelayError("key_invalid");
}

/** Expired and exhausted are also derived here: the stored status follows later. */
function checkToken(token: SnapshotToken, nowSeconds: number): void {
  if (token.status === TOKEN_STATUS.exhausted) throw new RelayError("key_exhausted");
  if (token.status === TOKEN_STATUS.expired) throw new RelayError("key_expired");
  if (token.status !== TOKEN_STATUS.enabled) throw new RelayError("key_disabled");
  if (token.expiredTime !== NEVER && token.expiredTime <= nowSeconds) throw new RelayError("key_expired");
}

/** The owner of a token that may be used now. Throws RelayError 401 or 403. */
function ownerOf(context: RelayContext, token: SnapshotToken): SnapshotUser {
  checkToken(token, context.nowSeconds());
  return livingOwner(context, token);
}

function livingOwner({ snapshot }: RelayContext, token: SnapshotToken): SnapshotUser {
  const user = snapshot.userById(token.userId);
  if (user === undefined || user.isDeleted) throw new RelayError("key_invalid");
  if (user.status !== USER_STATUS.enabled) throw new RelayError("user_banned");
  return user;
}

/** Whose key a request came with, and the channel that it names. */
export interface KeyOwner {
  token: SnapshotToken;
  user: SnapshotUser;
  channel: string | undefined;
}

/** Token and user of a request's key. Throws RelayError 401 or 403. */
export function keyOwner(context: RelayContext, request: IncomingMessage): KeyOwner {
  const { token, channel, key } = findToken(context, request);
  const user = ownerOf(context, token);
  if (token.isKeyUnknown) context.learnKey(token.id, key);
  return { token, user, channel };
}

/**
 * The same for requests of a key about itself: one that has expired or is used up is accepted. Throws RelayError 401 or 403 for one that is unknown
 * or disabled, and for an owner who may not call.
 */
export function keyReader(context: RelayContext, request: IncomingMessage): KeyOwner {
  const { token, channel } = findToken(context, request);
  if (token.status === TOKEN_STATUS.disabled) throw new RelayError("key_disabled");
  return { token, user: livingOwner(context, token), channel };
}

function pinnedChannel({ snapshot }: RelayContext, user: SnapshotUser, named: string | undefined): number {
  if (named === undefined) return 0;
  if (!mayDo(user, "channels_operate")) throw new RelayError("channel_choice_forbidden");
  const channel = /^\d{1,15}$/.test(named) ? snapshot.channelById(Number(named)) : undefined;
  if (channel === undefined) throw new RelayError("channel_choice_invalid");
  if (channel.status !== CHANNEL_STATUS.enabled) throw new RelayError("channel_choice_disabled");
  return channel.id;
}

/** Token, user, pinned channel and address; a promise where a session has to be looked up. Throws RelayError, or rejects with it. */
export function authenticate(call: Call, endpoint: Endpoint): Promise<Caller> | Caller {
  refuseLoops(call);
  const { context, request } = call;
  const address = context.clientAddress(request);
  if (endpoint.isPlayground === true) return enterPlayground(call, address);
  const { token, user, channel } = keyOwner(context, request);
  return { user, token, address, pinnedChannelId: pinnedChannel(context, user, channel) };
}

/** Looks at token and user again, for a call that lasts: what was revoked since ends it. Throws RelayError. */
export function authenticateAgain({ context }: Call, { token, address, pinnedChannelId }: Caller): Caller {
  const now = context.snapshot.tokenById(token.id);
  if (now === undefined) throw new RelayError("key_invalid");
  checkAddress(now, address);
  return { user: ownerOf(context, now), token: now, address, pinnedChannelId };
}
