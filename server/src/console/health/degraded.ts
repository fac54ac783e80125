/** Whether something is wrong with channels now, for the mark in the navigation: polled all the time, so it reads few rows. */
import { isDegraded } from "../../../../contract/src/call-figures.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import type { DegradedHealth } from "../../../../contract/src/channels/degraded.ts";
import { nowSeconds } from "../../util/clock.ts";
import { modelsLostNow } from "../channels/impact.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type ChannelOutcomes, openBreakers, outcomesByChannel, recentOutcomes } from "./store.ts";

/** Throws nothing of its own. */
export async function readDegraded(
  context: Pick<ConsoleContext, "database" | "snapshot" | "clock">,
): Promise<DegradedHealth> {
  const { database, snapshot, clock } = context;
  const isEnabled = (id: number) => snapshot.channelById(id)?.status === CHANNEL_STATUS.enabled;
  const open = new Set((await openBreakers(database, clock())).map(({ channelId }) => channelId));
  const recent = await recentOutcomes(
    nowSeconds(clock),
    ({ channelId }: ChannelOutcomes) => channelId,
    (from, below) => outcomesByChannel(database, from, below),
  );
  const counts = {
    lost_models: (await modelsLostNow(context)).total,
    cooling: [...open].filter(isEnabled).length,
    auto_disabled: snapshot.channels().filter(({ status }) => status === CHANNEL_STATUS.autoDisabled).length,
    failing: [...recent].filter(([id, outcomes]) => isEnabled(id) && isDegraded(outcomes)).length,
  };
  return { ...counts, is_degraded: Object.values(counts).some((count) => count > 0) };
}
