/** A channel switched off or on by what its calls showed, with the reason kept and logged; app.ts hands `autoDisable` to the relay. */
import { randomUUID } from "node:crypto";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { LogEntry } from "../../billing/billing.ts";
import type { ConsoleContext } from "../handlers.ts";
import { moveStatus } from "./store.ts";

export type StatusContext = Pick<ConsoleContext, "database" | "snapshot" | "billing" | "clock">;

const REASON_MAX = 500;

/** A log row of type 4 about a channel: seen by administrators, counted nowhere. */
export function channelLog(context: Pick<ConsoleContext, "clock">, channelId: number, content: string): LogEntry {
  return {
    type: 4,
    requestId: randomUUID(),
    createdAt: Math.floor(context.clock() / 1000),
    userId: 0,
    username: "",
    tokenId: 0,
    tokenName: "",
    channelId,
    modelName: "",
    groupName: "",
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    useTimeMs: 0,
    firstTokenMs: 0,
    isStream: false,
    ip: "",
    content,
    other: "{}",
  };
}

async function move(
  context: StatusContext,
  channelId: number,
  from: number,
  to: number,
  reason: string,
): Promise<boolean> {
  const now = Math.floor(context.clock() / 1000);
  const shortReason = reason.slice(0, REASON_MAX);
  const hasMoved = await moveStatus(context.database, channelId, { from, to, reason: shortReason, now });
  if (!hasMoved) return false;
  await context.snapshot.refresh();
  const name = context.snapshot.channelById(channelId)?.name ?? "";
  const act = to === CHANNEL_STATUS.enabled ? "Enabled" : "Disabled";
  const why = shortReason === "" ? "its test passed" : shortReason;
  await context.billing.record(
    channelLog(context, channelId, `${act} channel "${name}" (#${channelId}) automatically: ${why}`),
  );
  return true;
}

/**
 * Switches an enabled channel off with status 3; no call is routed to it any more when this resolves. The caller has judged that it
 * should be (channels/auto-disable.ts). False where it was not enabled. `reason` must carry no key.
 */
export const autoDisable = (context: StatusContext, channelId: number, reason: string): Promise<boolean> =>
  move(context, channelId, CHANNEL_STATUS.enabled, CHANNEL_STATUS.autoDisabled, reason);

/** Switches an auto-disabled channel on again; false for one that somebody switched off by hand. */
export const autoEnable = (context: StatusContext, channelId: number): Promise<boolean> =>
  move(context, channelId, CHANNEL_STATUS.autoDisabled, CHANNEL_STATUS.enabled, "");
