/** In which format a channel is asked, and what is learnt when its upstream does not serve it: the next one answers instead. */
import type { Dialect } from "../../dialects/dialect.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Attempt } from "./attempts.ts";

/** A format that only this model lacks; the same channel may serve it for others. */
const forModel = (name: DialectName, { model }: Accepted): string => `${name} ${model}`;

function isServed({ attempts: { call, accepted }, channel, refusedFormats }: Attempt, name: DialectName): boolean {
  const keys = [name, forModel(name, accepted)];
  if (keys.some((key) => refusedFormats.includes(key))) return false;
  return !keys.some((key) => call.context.missingFormats.isMissing(channel, key, performance.now()));
}

/** The client's own format where the provider speaks it, else the provider's first; the next in its order where that one is missing. */
export function formatFor(attempt: Attempt): Dialect {
  const { call, accepted } = attempt.attempts;
  const { dialects } = attempt.provider.manifest;
  const own = dialects.includes(accepted.dialect.name) ? accepted.dialect.name : (dialects[0] ?? "openai-chat");
  const isKnownToServe = !call.context.missingFormats.hasRecords && attempt.refusedFormats.length === 0;
  if (isKnownToServe || accepted.operation !== "chat" || dialects.length < 2 || isServed(attempt, own))
    return DIALECTS[own];
  return DIALECTS[dialects.find((name) => isServed(attempt, name)) ?? own];
}

/** The format after one that cannot express the call, where the channel serves another. */
export function formatAfter(attempt: Attempt, { name }: Dialect): Dialect | undefined {
  const { dialects } = attempt.provider.manifest;
  const next = dialects.slice(dialects.indexOf(name) + 1).find((each) => isServed(attempt, each));
  return next === undefined ? undefined : DIALECTS[next];
}

/**
 * Notes for this call that the target's format is not served; true where the channel has another one to try. A server without its
 * first format is at the wrong address rather than without it.
 */
export function hasNextFormat(attempt: Attempt, { dialect }: Target, { missingFormat }: UpstreamFailure): boolean {
  const { call, accepted } = attempt.attempts;
  const { dialects } = attempt.provider.manifest;
  if (missingFormat === undefined || accepted.operation !== "chat" || call.isClientGone) return false;
  if (missingFormat === "path" && dialect.name === dialects[0]) return false;
  const others = dialects.filter((name) => name !== dialect.name);
  if (!others.some((name) => isServed(attempt, name))) return false;
  const refused = missingFormat === "path" ? dialect.name : forModel(dialect.name, accepted);
  attempt.refusedFormats = [...attempt.refusedFormats, refused];
  return true;
}

/** Keeps for later calls what this one learnt of a channel; not where no path of it was found at all, for then its address is wrong. */
export function rememberFormats(
  { attempts, channel, refusedFormats }: Attempt,
  last: UpstreamFailure | undefined,
): void {
  if (last?.missingFormat !== undefined) return;
  const { missingFormats } = attempts.call.context;
  for (const format of refusedFormats) missingFormats.note(channel, format, performance.now());
}
