/** What administrators can do with the keys of one channel; every process is notified and the act is logged, and no key is ever shown. */
import {
  type KeyChoiceName,
  KEY_STATUS,
  keyChoiceOf,
  storedKeyChoice,
} from "../../../../../contract/src/channels/choices.ts";
import { type ChannelKeyList, type ChannelKeyRow } from "../../../../../contract/src/channels/keys.ts";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { LogEvent } from "../../../../../contract/src/logs/events.ts";
import { openChannelKey, sealChannelKey } from "../../../db/secrets.ts";
import { nowSeconds } from "../../../util/clock.ts";
import type { ConsoleContext } from "../../http/handlers.ts";
import type { Actor } from "../../kit/audit.ts";
import { checkKeyText } from "../rules.ts";
import { checkKeyForms } from "../provider-rules.ts";
import { announce, providerOf } from "../service.ts";
import { findChannel } from "../store.ts";
import { sealOneOfSeveral, totalOf } from "./rows.ts";
import { addKeys, deleteKeys, findKeys, type KeySelection, setChoice, setKeyStatuses } from "./store.ts";

/** Keys that the log's entry of an act names by their ids. */
const IDS_NAMED = 100;

type StoredKeyRow = Awaited<ReturnType<typeof findKeys>>["rows"][number];

const keyView = (row: StoredKeyRow): ChannelKeyRow => ({
  id: row.id,
  mark: row.key_mark,
  status: row.status,
  status_reason: row.status_reason,
  status_time: row.status_time,
  used_count: row.used_count,
  failed_count: row.failed_count,
  created_time: row.created_time,
});

/** One page of a channel's keys; none where it has one key. Throws not_found. */
export async function listKeys(
  context: ConsoleContext,
  channelId: number,
  status: number | undefined,
  page: { offset: number; limit: number },
): Promise<ChannelKeyList> {
  const channel = await findChannel(context.database.kysely, channelId);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const { rows, counts } = await findKeys(context.database, channelId, status, page);
  const { enabled, disabled, autoDisabled } = counts;
  const ofStatus: Readonly<Record<number, number>> = {
    [KEY_STATUS.enabled]: enabled,
    [KEY_STATUS.disabled]: disabled,
    [KEY_STATUS.autoDisabled]: autoDisabled,
  };
  return {
    key_choice: keyChoiceOf(channel.key_choice),
    total: status === undefined ? totalOf(counts) : (ofStatus[status] ?? 0),
    enabled,
    disabled,
    auto_disabled: autoDisabled,
    keys: rows.map(keyView),
  };
}

/** Adds the keys of a text; a channel of one key becomes one of several. Throws not_found, or what is wrong with the text. */
export async function addChannelKeys(
  context: ConsoleContext,
  actor: Actor,
  channelId: number,
  sent: { key: string; key_choice?: Exclude<KeyChoiceName, "one"> | undefined },
): Promise<{ added: number; duplicates: number }> {
  const { secrets } = context;
  const { keys, duplicates } = checkKeyText(sent.key);
  const channel = await findChannel(context.database.kysely, channelId);
  if (channel !== undefined) checkKeyForms(providerOf(context, channel.type).manifest, keys);
  const { name, count } = await addKeys(context.database, channelId, {
    keys: keys.map((key) => sealOneOfSeveral(secrets, key).row),
    choice: sent.key_choice === undefined ? undefined : storedKeyChoice(sent.key_choice),
    firstChoice: storedKeyChoice("random"),
    ownOf: (row) => sealOneOfSeveral(secrets, openChannelKey(secrets, row)).row,
    now: nowSeconds(context.clock),
  });
  await announceKeys(context, actor, { code: "channel_keys_added", values: { name, id: channelId, count } });
  return { added: count, duplicates: duplicates + keys.length - count };
}

const announceKeys = (context: ConsoleContext, actor: Actor, event: LogEvent, detail: object = {}): Promise<void> =>
  announce(context, actor, event, { ...detail, channel_id: "id" in event.values ? event.values.id : 0 });

const named = (chosen: KeySelection): object =>
  "ids" in chosen ? { key_ids: chosen.ids.slice(0, IDS_NAMED) } : { which: chosen.which };

/** Changes how calls get one of the keys. Throws not_found and channel_one_key. */
export async function changeKeyChoice(
  context: ConsoleContext,
  actor: Actor,
  channelId: number,
  choice: Exclude<KeyChoiceName, "one">,
): Promise<void> {
  const { name } = await setChoice(context.database, channelId, storedKeyChoice(choice));
  const values = { name, id: channelId };
  const code = choice === "random" ? "channel_keys_at_random" : "channel_keys_in_turn";
  await announceKeys(context, actor, { code, values });
}

/** Enables or disables keys; gives how many changed. Throws not_found. */
export async function setStatusesOfKeys(
  context: ConsoleContext,
  actor: Actor,
  channelId: number,
  chosen: KeySelection,
  status: number,
): Promise<number> {
  const { name, count } = await setKeyStatuses(context.database, channelId, chosen, status, nowSeconds(context.clock));
  const code = status === KEY_STATUS.enabled ? "channel_keys_enabled" : "channel_keys_disabled";
  await announceKeys(context, actor, { code, values: { name, id: channelId, count } }, named(chosen));
  return count;
}

/** Removes keys; gives how many. Throws not_found and channel_last_key. */
export async function removeChannelKeys(
  context: ConsoleContext,
  actor: Actor,
  channelId: number,
  chosen: KeySelection,
): Promise<number> {
  const { secrets } = context;
  const { name, count } = await deleteKeys(context.database, channelId, chosen, (row) =>
    sealChannelKey(secrets, openChannelKey(secrets, row)),
  );
  await announceKeys(
    context,
    actor,
    { code: "channel_keys_removed", values: { name, id: channelId, count } },
    named(chosen),
  );
  return count;
}
