/** The keys of a seeded channel that has several: how often each was used, and which its vendor refused, recorded by the product's own functions. */
import { autoDisableKey } from "../../server/src/console/channels/keys/status.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { openKeyCounter } from "../../server/src/stores/counters.ts";
import { repeatableChance } from "./chance.ts";

/** Several keys of one channel. */
export interface SeedKeys {
  count: number;
  /** Those that were switched off, by their index from 0, with the vendor's message. */
  refused: Readonly<Record<number, string>>;
}

/** Of so many calls with a good key one fails. */
const FAILED_EACH = 200;

/** Writes counts and refusals of the keys of the channel with this name. Throws where there is none. */
export async function writeKeys(foundation: Foundation, channelName: string, { refused }: SeedKeys): Promise<void> {
  const { database, snapshot, billing, secrets } = foundation;
  const channel = snapshot.channels().find(({ name }) => name === channelName);
  if (channel?.keys === undefined) throw new Error(`the channel "${channelName}" has no several keys`);
  const counter = openKeyCounter(database, { warn: () => undefined });
  const chance = repeatableChance(channel.id);
  for (const [place, { ofKey }] of channel.keys.members.entries()) {
    const reason = refused[place];
    const calls = reason === undefined ? chance.between(400, 900) : chance.between(1, 40);
    for (let call = 1; call <= calls; call += 1)
      counter.used(ofKey.id, reason === undefined ? call % FAILED_EACH === 0 : call === calls);
    if (reason !== undefined)
      await autoDisableKey(
        { database, snapshot, billing, secrets, clock: Date.now },
        { channelId: channel.id, keyId: ofKey.id, reason },
      );
  }
  await counter.close();
}
