/** Disables one of several keys, alone, by the failures of its calls; app.ts passes `autoDisableKey` to the relay. */
import type { LogEvent } from "../../../../../contract/src/logs/events.ts";
import { notifyRoot } from "../../../notify/notify-user.ts";
import { nowSeconds } from "../../../util/clock.ts";
import { channelLog, REASON_MAX, type StatusContext } from "../status.ts";
import { type DisabledKey, disableKey } from "./store.ts";

const HOUR_SECONDS = 3600;

async function tell(
  context: StatusContext,
  channelId: number,
  { name, mark, left, total, isChannelOff }: DisabledKey,
  reason: string,
): Promise<void> {
  const channel = { name, id: channelId };
  const disabled: LogEvent = {
    code: "channel_key_disabled_automatically",
    values: { ...channel, key: mark, reason },
  };
  await context.billing.record(channelLog(context, channelId, disabled));
  const hour = Math.floor(context.clock() / 1000 / HOUR_SECONDS);
  const { kysely } = context.database;
  if (!isChannelOff) {
    const notification = {
      code: "channel_key_disabled",
      values: { ...channel, key: mark, reason, left, total },
    } as const;
    // Of a hundred keys that go in one night the first is reported each hour; the log names all.
    await notifyRoot(context, kysely, { notification, onceKey: `channel-key:${channelId}:${hour}` });
    return;
  }
  const lastReason = `${mark}: ${reason}`;
  const off: LogEvent = {
    code: "channel_disabled_without_keys",
    values: { ...channel, count: total, reason: lastReason },
  };
  await context.billing.record(channelLog(context, channelId, off));
  const notification = { code: "channel_disabled", values: { ...channel, reason: lastReason } } as const;
  await notifyRoot(context, kysely, { notification, onceKey: `channel:${channelId}:3:${hour}` });
}

/**
 * Switches one of a channel's keys off, and with the last enabled one the channel; no call gets it any more when this resolves. The
 * caller has judged that it should be (channels/auto-disable.ts). False where it was not enabled. `reason` must carry no key.
 */
export async function autoDisableKey(
  context: StatusContext,
  { channelId, keyId, reason }: { channelId: number; keyId: number; reason: string },
): Promise<boolean> {
  const shortReason = reason.slice(0, REASON_MAX);
  const now = nowSeconds(context.clock);
  const disabled = await disableKey(context.database, { channelId, keyId, reason: shortReason, now });
  if (disabled === undefined) return false;
  await context.snapshot.refresh();
  await tell(context, channelId, disabled, shortReason);
  return true;
}
