/** Disables or enables a channel by what its calls showed, with the reason stored and logged; app.ts passes `autoDisable` to the relay. */
import { randomUUID } from "node:crypto";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import type { LogEntry } from "../../billing/billing.ts";
import { BLANK_ENTRY } from "../../billing/log-row.ts";
import type { Notification } from "../../../../contract/src/notifications.ts";
import { notifyRoot } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { moveStatus } from "./store.ts";

export type StatusContext = Pick<ConsoleContext, "database" | "snapshot" | "billing" | "secrets" | "clock">;

/** Characters stored of an upstream's message. */
export const REASON_MAX = 500;
const HOUR_SECONDS = 3600;

/** A system entry of the log about a channel: seen by administrators, counted nowhere. */
export function channelLog(context: Pick<ConsoleContext, "clock">, channelId: number, event: LogEvent): LogEntry {
  return {
    ...BLANK_ENTRY,
    type: LOG_TYPE.system,
    requestId: randomUUID(),
    createdAt: nowSeconds(context.clock),
    channelId,
    other: JSON.stringify({ event }),
  };
}

interface ChannelName {
  name: string;
  id: number;
}

interface StatusMove {
  from: number;
  to: number;
  /** Kept with the channel. */
  reason: string;
  eventOf: (channel: ChannelName, reason: string) => LogEvent;
  notificationOf: (channel: ChannelName, reason: string) => Notification;
}

async function move(
  context: StatusContext,
  channelId: number,
  { from, to, reason, eventOf, notificationOf }: StatusMove,
): Promise<boolean> {
  const now = nowSeconds(context.clock);
  const shortReason = reason.slice(0, REASON_MAX);
  const hasMoved = await moveStatus(context.database, channelId, { from, to, reason: shortReason, now });
  if (!hasMoved) return false;
  await context.snapshot.refresh();
  const channel = { name: context.snapshot.channelById(channelId)?.name ?? "", id: channelId };
  await context.billing.record(channelLog(context, channelId, eventOf(channel, shortReason)));
  // One that goes off and on all day is reported once in an hour each.
  const onceKey = `channel:${channelId}:${to}:${Math.floor(now / HOUR_SECONDS)}`;
  await notifyRoot(context, context.database.kysely, { notification: notificationOf(channel, shortReason), onceKey });
  return true;
}

/** A test that passed and took longer than it may. */
export interface Slowness {
  seconds: number;
  limit: number;
}

/** A balance that is used up: decimal text in its currency. */
export interface EmptyBalance {
  amount: string;
  currency: string;
}

const disabledEvent = (
  channel: ChannelName,
  reason: string,
  because: Slowness | EmptyBalance | undefined,
): LogEvent => {
  if (because === undefined) return { code: "channel_disabled_automatically", values: { ...channel, reason } };
  return "amount" in because
    ? { code: "channel_disabled_balance", values: { ...channel, ...because } }
    : { code: "channel_disabled_slow", values: { ...channel, ...because } };
};

/**
 * Switches an enabled channel off with status 3; no call is routed to it any more when this resolves. The caller has judged that it
 * should be (channels/auto-disable.ts). False where it was not enabled. `reason` must carry no key.
 */
export const autoDisable = (
  context: StatusContext,
  channelId: number,
  reason: string,
  because?: Slowness | EmptyBalance,
): Promise<boolean> =>
  move(context, channelId, {
    from: CHANNEL_STATUS.enabled,
    to: CHANNEL_STATUS.autoDisabled,
    reason,
    eventOf: (channel, shortReason) => disabledEvent(channel, shortReason, because),
    notificationOf: (channel, shortReason) => ({
      code: "channel_disabled",
      values: { ...channel, reason: shortReason },
    }),
  });

/** Switches an auto-disabled channel on again; false for one that was switched off by hand. */
export const autoEnable = (context: StatusContext, channelId: number): Promise<boolean> =>
  move(context, channelId, {
    from: CHANNEL_STATUS.autoDisabled,
    to: CHANNEL_STATUS.enabled,
    reason: "",
    eventOf: (channel) => ({ code: "channel_enabled_automatically", values: channel }),
    notificationOf: (channel) => ({ code: "channel_enabled", values: channel }),
  });
