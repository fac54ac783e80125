/** In which format a channel is asked, and what is learnt when its upstream does not serve it: the next one answers instead. */
import type { Dialect } from "../dialects/dialect.ts";
import type { DialectName } from "../dialects/neutral.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { Provider, UpstreamFailure } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import type { Exchange, Target } from "./exchange.ts";

/** A format that only this model lacks; the same channel may serve it for others. */
const forModel = (name: DialectName, { model }: Exchange): string => `${name} ${model}`;

function isServed(exchange: Exchange, channel: SnapshotChannel, name: DialectName): boolean {
  const { refusedFormats, context } = exchange;
  const keys = [name, forModel(name, exchange)];
  if (keys.some((key) => refusedFormats.includes(key))) return false;
  return !keys.some((key) => context.missingFormats.isMissing(channel, key, performance.now()));
}

/** The client's own format where the provider speaks it, else the provider's first; the next in its order where that one is missing. */
export function formatFor(exchange: Exchange, channel: SnapshotChannel, { manifest }: Provider): Dialect {
  const { dialect, operation, context, refusedFormats } = exchange;
  const { dialects } = manifest;
  const own = dialects.includes(dialect.name) ? dialect.name : (dialects[0] ?? "openai-chat");
  const isKnownToServe = !context.missingFormats.hasRecords && refusedFormats.length === 0;
  if (isKnownToServe || operation !== "chat" || dialects.length < 2 || isServed(exchange, channel, own))
    return DIALECTS[own];
  return DIALECTS[dialects.find((name) => isServed(exchange, channel, name)) ?? own];
}

/** The format after one that cannot express the call, where the channel serves another. */
export function formatAfter(
  exchange: Exchange,
  channel: SnapshotChannel,
  { manifest }: Provider,
  { name }: Dialect,
): Dialect | undefined {
  const { dialects } = manifest;
  const next = dialects.slice(dialects.indexOf(name) + 1).find((each) => isServed(exchange, channel, each));
  return next === undefined ? undefined : DIALECTS[next];
}

/**
 * Notes for this call that the target's format is not served; true where the channel has another one to try. A server without its
 * first format is at the wrong address rather than without it.
 */
export function hasNextFormat(
  exchange: Exchange,
  { provider, channel, dialect }: Target,
  { lacks }: UpstreamFailure,
): boolean {
  const { dialects } = provider.manifest;
  if (lacks === undefined || exchange.operation !== "chat" || exchange.isClientGone) return false;
  if (lacks === "path" && dialect.name === dialects[0]) return false;
  const others = dialects.filter((name) => name !== dialect.name);
  if (!others.some((name) => isServed(exchange, channel, name))) return false;
  const refused = lacks === "path" ? dialect.name : forModel(dialect.name, exchange);
  exchange.refusedFormats = [...exchange.refusedFormats, refused];
  return true;
}

/** Keeps for later calls what this one learnt of a channel; not where no path of it was found at all, for then its address is wrong. */
export function rememberFormats(exchange: Exchange, channel: SnapshotChannel, last: UpstreamFailure | undefined): void {
  const { refusedFormats, context } = exchange;
  exchange.refusedFormats = [];
  if (last?.lacks !== undefined) return;
  for (const format of refusedFormats) context.missingFormats.note(channel, format, performance.now());
}
