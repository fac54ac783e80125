/** Calls that need no upstream: tokens counted for a format that no channel of the model counts in. */
import { type Exchange, known } from "./exchange.ts";
import { writeText } from "./respond.ts";
import { release } from "./settle.ts";

function isCountedUpstream({ tiers, context, dialect, pinnedChannelId }: Exchange): boolean {
  const pinned = pinnedChannelId === 0 ? undefined : context.snapshot.channelById(pinnedChannelId);
  const channels = pinned === undefined ? tiers.flatMap((tier) => tier.channels) : [pinned];
  return channels.some(({ type }) => {
    const manifest = context.providers.byType(type)?.manifest;
    return manifest?.operations.includes("count_tokens") === true && manifest.dialects.includes(dialect.name);
  });
}

/** True where no upstream is to be asked. */
export const isAnsweredHere = (exchange: Exchange): boolean =>
  exchange.operation === "count_tokens" && !isCountedUpstream(exchange);

/** Answers with our estimate, as docs/billing.md says. */
export async function answerHere(exchange: Exchange): Promise<void> {
  await release(exchange);
  const count = known(exchange.dialect.tokenCount, "tokenCount")(exchange.promptEstimate);
  writeText(exchange, 200, {}, JSON.stringify(count));
}
