/** Models on the disk of a channel's own server: administrators pull and delete them, with a row in the log each. */
import type { PullLine } from "../../../../contract/src/channels/stored-models.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { tooManyRequests } from "../http/envelope.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { type Actor, audit } from "../kit/audit.ts";
import type { PullStep } from "../relay-tools.ts";

/** Pulls of one process at a time, of a channel one. */
const MOST_PULLS = 3;
const RETRY_AFTER_SECONDS = 30;
/** Channels with a pull under way, by the cache of their process. */
const pulls = new WeakMap<object, Set<number>>();

type StoredContext = Pick<ConsoleContext, "snapshot" | "relay" | "cache" | "billing" | "clock" | "database" | "logger">;

async function channelOf({ snapshot, relay }: StoredContext, id: number): Promise<SnapshotChannel> {
  await snapshot.refresh();
  const channel = snapshot.channelById(id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const provider = relay.providers.find(({ manifest }) => manifest.id === channel.type);
  if (provider?.storedModels === undefined) throw new AppError("channel_stores_nothing");
  return channel;
}

/** Takes a place for a pull. Throws too_many_requests; the function gives the place back. */
function begin({ cache }: StoredContext, id: number): () => void {
  const open = pulls.get(cache) ?? new Set<number>();
  pulls.set(cache, open);
  if (open.has(id) || open.size >= MOST_PULLS) throw tooManyRequests(RETRY_AFTER_SECONDS);
  open.add(id);
  return () => void open.delete(id);
}

const textOf = (line: PullLine): string => `${JSON.stringify(line)}\n`;

const progressOf = ({ status, completedBytes, totalBytes }: PullStep): string =>
  textOf({ kind: "progress", status, completed_bytes: completedBytes, total_bytes: totalBytes });

async function* linesOf(context: StoredContext, channel: SnapshotChannel, model: string): AsyncGenerator<string> {
  const end = begin(context, channel.id);
  try {
    for await (const step of context.relay.pullModel(channel, model))
      // A blank piece is where a reader who has left is noticed.
      yield step === undefined ? "" : progressOf(step);
    yield textOf({ kind: "done" });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.logger.warn({ err: error, channelId: channel.id }, "a model could not be pulled");
    yield textOf({ kind: "failure", message: error.message });
  } finally {
    end();
  }
}

/** Has a channel's server pull a model: the lines of the answer. Throws not_found, channel_stores_nothing and too_many_requests. */
export async function pullStoredModel(
  context: StoredContext,
  actor: Actor,
  id: number,
  model: string,
): Promise<AsyncGenerator<string>> {
  const channel = await channelOf(context, id);
  // Looked at before anything is written; the place itself is taken with the first line.
  begin(context, id)();
  await audit(context, actor, { code: "channel_model_pulled", values: { name: channel.name, id, model } });
  return linesOf(context, channel, model);
}

/** Deletes a model from the disk of a channel's server. Throws not_found, channel_stores_nothing and upstream_failed. */
export async function deleteStoredModel(
  context: StoredContext,
  actor: Actor,
  id: number,
  model: string,
): Promise<void> {
  const channel = await channelOf(context, id);
  await context.relay.removeModel(channel, model);
  await audit(context, actor, { code: "channel_model_deleted", values: { name: channel.name, id, model } });
}
