/** Compares prices with those of other sites of the API family, which are asked under the address policy, each within its own bounds. */
import { setImmediate as turn } from "node:timers/promises";
import { AppError } from "../../../../contract/src/errors.ts";
import { fieldsOfPrice } from "../../../../contract/src/family/ratio-sync.ts";
import { type OwnPrice, ownEntriesOf, ownPriceOf, priceUnderOwn } from "../../../../contract/src/pricing/own-prices.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import {
  type ComparedSites,
  type PriceSite,
  type ReadSite,
  SITE_LINES_MAX,
  type SiteFailure,
  type SiteLine,
  type SitePrice,
  type SitesComparison,
} from "../../../../contract/src/pricing/site-prices.ts";
import { ownAfterTaking, priceKey, readSitePrices, saysTheSame, type SitePrices } from "../../prices/site-prices.ts";
import { basePrice, parsePriceTables } from "../../prices/prices.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { enabledModels } from "./service.ts";

/** Of new-api and one-api, of both and this program, and of one-hub. */
const USUAL_ENDPOINTS = ["/api/ratio_config", "/api/pricing", "/api/prices"] as const;
const MOST_BYTES = 4 * 1024 * 1024;
const OK = 200;
/** Sites asked at the same time: so many answers are in memory at once. */
const AT_ONCE = 4;

interface Answer {
  site: ReadSite;
  prices: SitePrices["prices"];
}

type PriceTables = ReturnType<typeof parsePriceTables>;

type Sites = Pick<ConsoleContext, "snapshot" | "relay" | "clock">;

const NO_PRICES: SitePrices["prices"] = new Map();

const failureOf = (error: unknown): SiteFailure => {
  if (!(error instanceof AppError)) throw error;
  return error.code === "address_refused" ? "address_refused" : "not_answered";
};

/** Asks one address. @throws nothing but what is no failure of the other site */
async function ask({ relay }: Sites, url: string, timeoutMs: number): Promise<SitePrices | SiteFailure> {
  const limits = { bytes: MOST_BYTES, timeoutMs };
  const headers = { accept: "application/json" };
  try {
    const { status, body } = await relay.fetchGuarded({ method: "GET", url, headers, limits });
    return status === OK ? (readSitePrices(body) ?? "form") : "status";
  } catch (error) {
    return failureOf(error);
  }
}

/** Tries the addresses of a site until one has prices; one that does not answer at all is not asked again. */
async function askSite(
  context: Sites,
  { name = "", base_url, endpoint }: PriceSite,
  timeoutMs: number,
): Promise<Answer> {
  const base = base_url.replace(/\/+$/, "");
  const deadline = context.clock() + timeoutMs;
  let failure: SiteFailure = "not_answered";
  let address = base;
  for (const path of endpoint === undefined ? USUAL_ENDPOINTS : [endpoint]) {
    const leftMs = deadline - context.clock();
    if (leftMs <= 0) break;
    address = `${base}${path}`;
    const answer = await ask(context, address, leftMs);
    if (typeof answer === "object")
      return {
        site: { name, address, failure: "", models: answer.prices.size, refused: answer.refused },
        prices: answer.prices,
      };
    failure = answer;
    if (answer === "address_refused" || answer === "not_answered") break;
  }
  return { site: { name, address, failure, models: 0, refused: 0 }, prices: NO_PRICES };
}

/** The sites in the order in which they were named, each under a name of its own. */
function sitesOf({ snapshot }: Sites, { sites, channel_ids: ids }: ComparedSites): (PriceSite | { missing: number })[] {
  const channels = new Map(snapshot.channels().map((channel) => [channel.id, channel]));
  const named = ids.map((id) => {
    const channel = channels.get(id);
    return channel === undefined || channel.baseUrl === ""
      ? { missing: id }
      : { name: `${channel.name}(${id})`, base_url: channel.baseUrl };
  });
  const used = new Set<string>();
  const unique = (name: string): string => {
    let own = name;
    for (let count = 2; used.has(own); count += 1) own = `${name} ${count}`;
    used.add(own);
    return own;
  };
  return [...sites, ...named].map((each) =>
    "missing" in each ? each : { ...each, name: unique(each.name || (URL.parse(each.base_url)?.host ?? "")) },
  );
}

/** Asks all sites, some at a time; a slow one holds up none but those behind it, and those for its own time only. */
async function askAll(context: Sites, request: ComparedSites): Promise<Answer[]> {
  const sites = sitesOf(context, request);
  const answers: Answer[] = [];
  const waiting = [...sites.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, site] = next;
      answers[index] =
        "missing" in site
          ? {
              site: { name: `(${site.missing})`, address: "", failure: "no_channel", models: 0, refused: 0 },
              prices: NO_PRICES,
            }
          : await askSite(context, site, request.timeout * 1000);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

/** What a model costs with these own entries; null where it has no price. */
function priceWith(model: string, own: OwnPrice, tables: PriceTables) {
  const price = priceUnderOwn(basePrice(model, tables), ownEntriesOf(own));
  return price === undefined ? null : toPriceFields(price);
}

/** Prices of one model at the sites; undefined where none differs. */
function lineOf(
  { snapshot, tables }: { snapshot: Sites["snapshot"]; tables: PriceTables },
  model: string,
  answers: readonly Answer[],
): Omit<SiteLine, "is_enabled"> | undefined {
  const price = snapshot.priceOf(model);
  const fields = price === undefined ? null : toPriceFields(price);
  const here = fieldsOfPrice(fields);
  const offers = new Map<string, { price: SitePrice; sites: string[] }>();
  const same: string[] = [];
  for (const { site, prices } of answers) {
    const said = prices.get(model);
    if (said === undefined) continue;
    const offer = offers.get(priceKey(said));
    if (saysTheSame(here, said)) same.push(site.name);
    else if (offer === undefined) offers.set(priceKey(said), { price: said, sites: [site.name] });
    else offer.sites.push(site.name);
  }
  if (offers.size === 0) return undefined;
  const own = ownPriceOf(snapshot.options, model);
  const inOrder = [...offers.values()].toSorted((a, b) => b.sites.length - a.sites.length);
  const taken = inOrder.map((offer) => {
    const to = ownAfterTaking(own, offer.price);
    return { ...offer, to, after: priceWith(model, to, tables) };
  });
  return { model, price: fields, own, offers: taken, same };
}

/** Models compared before the event loop is yielded to calls. */
const MODELS_A_TURN = 25;

/** Prices that other sites say otherwise, model by model. A site that fails is named with its reason, and the others are compared. */
export async function compareSites(context: Sites, request: ComparedSites): Promise<SitesComparison> {
  const answers = await askAll(context, request);
  const enabled = new Set(enabledModels(context));
  const models = [...new Set(answers.flatMap(({ prices }) => [...prices.keys()]))].toSorted();
  const tables = parsePriceTables(context.snapshot.options);
  const lines: SiteLine[] = [];
  for (const [index, model] of models.entries()) {
    if (index % MODELS_A_TURN === MODELS_A_TURN - 1) await turn();
    const line = lineOf({ snapshot: context.snapshot, tables }, model, answers);
    if (line !== undefined) lines.push({ ...line, is_enabled: enabled.has(model) });
  }
  const inOrder = lines.toSorted((a, b) => Number(b.is_enabled) - Number(a.is_enabled));
  return { sites: answers.map(({ site }) => site), lines: inOrder.slice(0, SITE_LINES_MAX), line_count: lines.length };
}

/** Channels whose addresses may be such sites, as new-api lists them. */
export const channelSites = ({ snapshot }: Pick<Sites, "snapshot">) =>
  snapshot
    .channels()
    .filter(({ baseUrl }) => baseUrl !== "")
    .map(({ id, name, baseUrl, status }) => ({ id, name, base_url: baseUrl, status }));
