/** Fetches a price list from the operator's address, and computes what it would change. */
import { setImmediate as turn } from "node:timers/promises";
import { AppError } from "../../../../contract/src/errors.ts";
import type { FetchedLine } from "../../../../contract/src/pricing/list-lines.ts";
import { OWN_PRICE_OPTIONS } from "../../../../contract/src/pricing/own-prices.ts";
import { pricingRule } from "../../prices/data-set.ts";
import { listDifferences, rulesOf, withChanges } from "../../prices/list-difference.ts";
import { type PriceList, PROVIDERS_IN_ORDER } from "../../prices/listed-models.ts";
import { currentChanges } from "../../prices/lookup.ts";
import { hasFixedDefault, listedName, parsePriceTables } from "../../prices/prices.ts";
import { readPriceList } from "../../prices/read-list.ts";
import { shippedList } from "../../prices/shipped-list.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { baseOf, readInForce, readSafely, toDifference } from "./list.ts";
import { enabledModels } from "./service.ts";

/** Sixteen times what genai-prices publishes. */
const LIMITS = { bytes: 8 * 1024 * 1024, timeoutMs: 30_000 } as const;
const OK = 200;

/** The address, which must use https so that the list cannot be changed in transit. */
function addressOf({ snapshot }: ConsoleContext): string {
  const address = snapshot.options.PriceListUrl;
  if (!address.startsWith("https://")) throw new AppError("price_list_address", { field: "PriceListUrl" });
  return address;
}

async function download(context: ConsoleContext, url: string): Promise<string> {
  const headers = { accept: "application/json, text/plain;q=0.9" };
  const { status, body } = await context.relay.fetchGuarded({ method: "GET", url, headers, limits: LIMITS });
  if (status !== OK) throw new AppError("price_list_status", { values: { status } });
  return body.startsWith("\uFEFF") ? body.slice(1) : body;
}

/** Models looked up before the event loop is yielded to calls. */
const MODELS_A_TURN = 25;

/** Enabled models by the rule that prices them, `provider id`. */
async function modelsByRule(list: PriceList, models: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const tables = parsePriceTables({}, () => list);
  for (const [index, model] of models.entries()) {
    if (index % MODELS_A_TURN === MODELS_A_TURN - 1) await turn();
    const name = listedName(model, tables);
    const rule = hasFixedDefault(name) ? undefined : pricingRule(list, name);
    if (rule === undefined) continue;
    const key = `${rule.provider} ${rule.rule.id}`;
    found.set(key, [...(found.get(key) ?? []), model]);
  }
  return found;
}

/**
 * Fetches the list at the address of the option PriceListUrl and compares it with the one in force. Throws AppError
 * price_list_address, address_refused, upstream_failed, price_list_status or price_list_invalid.
 */
export async function fetchList(context: ConsoleContext) {
  const source = addressOf(context);
  const text = await download(context, source);
  const fetched = readSafely(() => readPriceList(text));
  const accepted = await readInForce(context.database.kysely);
  const current = withChanges(shippedList(), currentChanges(accepted, context.logger));
  const used = new Map([...fetched].filter(([provider]) => current.providers.has(provider)));
  if (used.size === 0) throw new AppError("price_list_empty");
  const differences = listDifferences(rulesOf(current), used);
  const enabled = enabledModels(context);
  const before = await modelsByRule(current, enabled);
  const after = await modelsByRule(withChanges(current, differences), enabled);
  const lines = differences.map((difference): FetchedLine => {
    const key = `${difference.provider} ${difference.id}`;
    const models = [...new Set([...(before.get(key) ?? []), ...(after.get(key) ?? [])])].toSorted();
    return {
      ...toDifference(difference),
      models,
      own: models.filter((model) => hasOwnPrice(context, model)),
      rule: difference.rule === null ? null : { ...difference.rule },
      before_id: difference.before,
    };
  });
  return {
    source,
    base: baseOf(accepted),
    rules: [...used.values()].reduce((sum, rules) => sum + rules.length, 0),
    unused_providers: [...fetched.keys()].filter((provider) => !isUsed(provider)),
    lines,
  };
}

const isUsed = (provider: string): boolean => PROVIDERS_IN_ORDER.some((used) => used === provider);

const hasOwnPrice = ({ snapshot }: ConsoleContext, model: string): boolean =>
  OWN_PRICE_OPTIONS.some((name) => Object.hasOwn(snapshot.options[name], model));
