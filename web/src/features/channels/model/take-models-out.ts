/** Removes models from a channel that others may change at the same time; reading and writing are parameters. */
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { ApiError } from "../../../lib/api.ts";

/** How often the change is tried again after another user saved at the same moment. */
const MOST_TRIES = 3;

type Read = Pick<ChannelRow, "models" | "revision">;

interface ChannelAccess<Row> {
  read(): Promise<Read>;
  write(change: Read): Promise<Row>;
}

/**
 * Removes `models` from the models that the channel has now: some may have been added since they were last shown. If the server says
 * that the channel was changed after it was read, it is read again and the change is tried again. Throws what the server answers otherwise.
 */
export async function takeModelsOut<Row>(models: readonly string[], { read, write }: ChannelAccess<Row>): Promise<Row> {
  for (let tries = 1; ; tries += 1) {
    const now = await read();
    const kept = now.models.split(",").filter((model) => !models.includes(model));
    try {
      return await write({ models: kept.join(","), revision: now.revision });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "channel_changed") || tries === MOST_TRIES) throw error;
    }
  }
}
