/** How much of a model's prompts upstreams read from their caches, by the program that called: of a bounded number of the newest calls in the log. */
import { AppError } from "../../../../contract/src/errors.ts";
import { CACHED_CALLS, CACHED_DAYS, type ModelCache } from "../../../../contract/src/features/pricing.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { nowSeconds } from "../../util/clock.ts";
import { storableCut } from "../../util/text.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { tokensOf } from "../kit/cached-tokens.ts";
import { newestCalls } from "./store.ts";

const DAY = 86_400;
/** Characters of a model's name that the log keeps. */
const STORED_NAME = 255;

type Sums = Omit<ModelCache["clients"][number], "client">;

const NOTHING: Sums = { calls: 0, prompt_tokens: 0, cached_tokens: 0 };

const plus = (one: Sums, other: Omit<Sums, "calls">): Sums => ({
  calls: one.calls + 1,
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  cached_tokens: one.cached_tokens + other.cached_tokens,
});

/**
 * The cached tokens of a model that the price list has: of the caller's calls, or of everybody's where the caller may see the log.
 * @throws AppError not_found for a model that is not in the list
 */
export async function readModelCache(
  { database, clock }: Pick<ConsoleContext, "database" | "clock">,
  { user }: Pick<Session, "user">,
  { model, isListed }: { model: string | undefined; isListed: (model: string) => boolean },
): Promise<ModelCache> {
  if (model === undefined || !isListed(model))
    throw new AppError("not_found", { message: "The price list does not have this model", field: "model_name" });
  const ofEverybody = mayDo(user, "logs");
  const { rows, since } = await newestCalls(
    database,
    { model: storableCut(model, STORED_NAME), userId: ofEverybody ? undefined : user.id },
    { since: nowSeconds(clock) - CACHED_DAYS * DAY, limit: CACHED_CALLS },
  );
  const byClient = new Map<string, Sums>();
  let whole = NOTHING;
  for (const row of rows) {
    const { client, ...tokens } = tokensOf(row);
    byClient.set(client, plus(byClient.get(client) ?? NOTHING, tokens));
    whole = plus(whole, tokens);
  }
  const clients = [...byClient]
    .map(([client, sums]) => ({ client, ...sums }))
    .toSorted((a, b) => b.prompt_tokens - a.prompt_tokens || (a.client < b.client ? -1 : 1));
  return { of_everybody: ofEverybody, ...whole, since, clients };
}
