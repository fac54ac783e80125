/** Protects stored keys against changes of address: which change sends one elsewhere, who may make it, and who is notified. */
import type { ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import {
  HeaderOverrideError,
  hasHiddenValues,
  sentHeaderOverride,
} from "../../../../contract/src/channels/header-override.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { requirePermission } from "../kit/permitted.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import type { Queries } from "../../db/portable.ts";
import { meantByProxy, proxyIn, sentProxy, withProxy } from "../../db/proxy-login.ts";
import { openHeaderOverride, sealHeaderOverride, type Secrets } from "../../db/secrets.ts";
import { notifyRoots } from "../../notify/notify-user.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import type { ChannelPatch, StoredChannel } from "./store.ts";

/** Who changes a channel; a session can confirm who it is, an access token cannot. */
export interface Mover {
  session: Session;
  requireStepUp(): void;
}

type Place = Pick<StoredChannel, "type" | "base_url" | "setting">;

/**
 * What decides where a channel's key goes: provider, address and proxy. `other` never leads to another host: a region is part of the name of
 * one of its vendor's, all else stands in paths. A proxy's login is part of where it leads.
 */
const placeOf = (secrets: Secrets, { type, base_url, setting }: Place) => ({
  type,
  base_url,
  proxy: meantByProxy(secrets, proxyIn(setting)),
});

/** Names of what decides where the key goes that a patch changes. */
export function movedBy(
  { secrets }: Pick<ConsoleContext, "secrets">,
  before: StoredChannel,
  patch: ChannelPatch,
): ("type" | "base_url" | "proxy")[] {
  const [was, is] = [placeOf(secrets, before), placeOf(secrets, { ...before, ...patch })];
  return (["type", "base_url", "proxy"] as const).filter((name) => was[name] !== is[name]);
}

/**
 * The setting for the row, of one that was sent: the proxy's login is sealed, and `***` keeps the one in `stored`.
 * Throws AppError channel_proxy_login_needed where `***` stands beside another protocol, host or port than the stored login.
 */
export const settingForRow = (secrets: Secrets, sent: string, stored = ""): string =>
  withProxy(sent, (proxy) => {
    const sealed = sentProxy(secrets, proxy, proxyIn(stored));
    if (sealed === undefined) throw new AppError("channel_proxy_login_needed", { field: "setting" });
    return sealed;
  });

/** A header override for the row, and whether a value in it was stored before and is not of this change. */
export interface HeadersForRow {
  sealed: string;
  keepsStored: boolean;
}

/**
 * The header override for the row, of one that was sent, in which `***` keeps the values in `stored`, as it stands in the row; of undefined
 * the stored one. Throws AppError channel_invalid where `***` stands for no stored value.
 */
export function headersForRow(secrets: Secrets, sent: string | undefined, stored: string | null): HeadersForRow {
  const before = openHeaderOverride(secrets, stored);
  if (sent === undefined) return { sealed: stored ?? "", keepsStored: hasHiddenValues(before) };
  try {
    const { text, keepsStored } = sentHeaderOverride(sent, before);
    return { sealed: sealHeaderOverride(secrets, text), keepsStored };
  } catch (cause) {
    if (!(cause instanceof HeaderOverrideError)) throw cause;
    throw new AppError("channel_invalid", { message: cause.message, field: "header_override", cause });
  }
}

/**
 * What a change takes of an administrator: to switch a channel on or off is to operate it; its key, where that goes and values of headers are
 * secrets, and everything else is written. Throws AppError permission_withheld, naming the field.
 */
export function checkChangePermitted(
  { session: { user } }: Pick<Mover, "session">,
  patch: ChannelPatch,
  { before, moved, hasOtherHeaders }: { before: StoredChannel; moved: readonly string[]; hasOtherHeaders: boolean },
): void {
  // What is sealed has other bytes each time: whether it means something else is said apart.
  const { header_override: _sealed, ...plain } = patch;
  const columns = Object.keys(plain) as (keyof typeof plain)[];
  const changed = columns.filter((name) => plain[name] !== undefined && plain[name] !== before[name]);
  const written = changed.filter((name) => name !== "status" && name !== "other_info");
  const [place] = moved;
  if (place !== undefined) requirePermission(user, "channels_secrets", place);
  if (changed.includes("key_hash")) requirePermission(user, "channels_secrets", "key");
  if (hasOtherHeaders) requirePermission(user, "channels_secrets", "header_override");
  if (written[0] !== undefined) requirePermission(user, "channels_write", written[0]);
  else if (changed.length > 0 && !mayDo(user, "channels_write")) requirePermission(user, "channels_operate", "status");
}

/** Secrets of a channel that stand in a change without having come with it. */
export interface KeptSecrets {
  key: boolean;
  headers: boolean;
}

/**
 * Lets a stored key, and stored values of headers, go to another place only for the super administrator, who has confirmed who he is.
 * Throws AppError channel_key_needed and channel_headers_needed for everybody else, and for an access token; step_up_required.
 */
export function checkMove({ session, requireStepUp }: Mover, kept: KeptSecrets): void {
  if (!kept.key && !kept.headers) return;
  if (!isRoot(session.role) || session.sessionId === undefined)
    throw kept.key
      ? new AppError("channel_key_needed", { field: "key" })
      : new AppError("channel_headers_needed", { field: "header_override" });
  requireStepUp();
}

/** Writes a mail to every super administrator that has an address, in the transaction of the change. */
export async function tellRoots(
  context: ConsoleContext,
  queries: Queries,
  { session }: Mover,
  channel: Place & { id: number; name: string },
): Promise<void> {
  const { id, name, base_url } = channel;
  const address = base_url === "" ? "-" : base_url;
  const values = { id, name, address, username: session.user.username };
  await notifyRoots(context, queries, { notification: { code: "channel_moved", values } });
}

/** Records that a key which was stored before goes to another place; `moved` is not empty. */
export function recordRedirection(
  context: Pick<ConsoleContext, "recordSecurityEvent">,
  { session, request }: { session: Session; request: RequestFacts },
  { id, moved }: { id: number; moved: readonly string[] },
): void {
  context.recordSecurityEvent({
    kind: "channel_key_redirected",
    userId: session.user.id,
    ip: request.ip,
    reason: `channel ${id}: ${moved.join(", ")}`,
    requestId: request.requestId,
  });
}

/** Throws AppError channel_changed where `revision` was sent and is not that of what is stored. */
export function refuseStale(before: StoredChannel, { revision }: Pick<ChannelUpdate, "revision">): void {
  if (revision !== undefined && revision !== Number(before.changed_version))
    throw new AppError("channel_changed", { values: { revision: Number(before.changed_version) } });
}
