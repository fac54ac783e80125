/** An outage in a scenario's past: one channel's vendor failed, so it was disabled and enabled again, by the product's own functions. */
import { autoDisable, autoEnable } from "../../server/src/console/channels/status.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";

export interface Incident {
  channel: string;
  /** Message of the vendor. */
  reason: string;
  hoursAgo: number;
  minutes: number;
}

/** Writes it into the log; the channel is in use afterwards, as before. Throws where there is no such channel. */
export async function writeIncident(foundation: Foundation, incident: Incident, nowMs: number): Promise<void> {
  const { database, snapshot, billing, secrets } = foundation;
  const channel = snapshot.channels().find(({ name }) => name === incident.channel);
  if (channel === undefined) throw new Error(`the scenario has no channel "${incident.channel}" in use`);
  const startMs = nowMs - incident.hoursAgo * 3_600_000;
  const at = (clockMs: number) => ({ database, snapshot, billing, secrets, clock: () => clockMs });
  await autoDisable(at(startMs), channel.id, incident.reason);
  await autoEnable(at(startMs + incident.minutes * 60_000), channel.id);
}
