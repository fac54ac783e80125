/** Price endpoints for administrators: every model that is enabled or priced, with the source of each price. */
import { z } from "zod";
import { endpoint, LONG_BODY_BYTES, streamEndpoint } from "../endpoint.ts";
import { hasUnseen } from "../names.ts";
import { dryRunRequest } from "../pricing/dry-run.ts";
import {
  acceptedChange,
  acceptedLine,
  fetchedLine,
  listDifference,
  MAX_ACCEPTED_LINES,
  shippedVersion,
} from "../pricing/list-lines.ts";
import { hasOwnPrice, storedOwnPrice, typedOwnPrice } from "../pricing/own-prices.ts";
import { pathId } from "../query.ts";
import { priceFields } from "../pricing/price-fields.ts";
import { appliedPrices, priceTablesVersion, storedPriceChange } from "../pricing/price-changes.ts";
import { comparedSites, sitesComparison } from "../pricing/site-prices.ts";
import { PRICE_TABLES, tableDraft, tablesDifference } from "../pricing/table-changes.ts";
import { CHARGED_TOOLS, SURCHARGES } from "../pricing/usage.ts";

/** Where a price comes from: the operator (also one that says what the list says, which the next list will not change), the list, nowhere. */
export const PRICE_ORIGINS = ["own", "list", "none"] as const;

/** What one channel's upstream asks for a model, its factor of the price list taken in. */
const upstreamCost = z.object({ channel: z.number(), channel_name: z.string(), price: priceFields });
export type UpstreamCost = z.output<typeof upstreamCost>;

export const priceRow = z.object({
  model: z.string(),
  /** An enabled channel offers it. */
  is_enabled: z.boolean(),
  origin: z.enum(PRICE_ORIGINS),
  /** The price that calls are charged by; null if the model has none. */
  price: priceFields.nullable(),
  /** What the price list says, also where an own price stands over it; null where it does not have the model. */
  list_price: priceFields.nullable(),
  own: storedOwnPrice,
  /** By which calls would be charged without the own entries; absent where that is the list's price. */
  base_price: priceFields.nullable().optional(),
  /** USD per 1,000 calls of the tools that this model may call (medium size). */
  tools: z.record(z.enum(CHARGED_TOOLS), z.string()),
  /** Factors of the tokens' price; those of 1 are left out. */
  surcharges: z.partialRecord(z.enum(SURCHARGES), z.string()),
  /** What the enabled channels pay for it: the cheapest and the dearest of those where that is known; null where it is of none. */
  costs: z
    .object({
      min: upstreamCost,
      max: upstreamCost,
      /** Of how many enabled channels that offer the model the cost is known. */
      known: z.number(),
      channels: z.number(),
    })
    .nullable(),
});
export type PriceRow = z.output<typeof priceRow>;

export const listPrices = endpoint({
  method: "GET",
  path: "/api/prices",
  access: "admin",
  act: "money",
  object: "site",
  summary: "The price of every model that is enabled or has an own price, and where it comes from",
  query: z.object({
    /** Only this model, whether or not it is offered or priced. */
    model: z.string().optional(),
  }),
  data: z.array(priceRow),
});

/** More models than any site has. */
const MAX_CHANGES = 5_000;

/** No model has a longer name. */
const MAX_NAME_LENGTH = 128;

/** What JSON objects cannot hold as a plain key; a stored name of any length can be removed. */
const isUsableName = (name: string): boolean => name !== "" && name.length <= MAX_NAME_LENGTH && name !== "__proto__";

/** What a model costs by its own entries, before and after. */
export const priceChange = z
  .strictObject({
    model: z.string(),
    /** The own entries as they were read; the change is refused where they are others by now. */
    from: storedOwnPrice,
    /** All own entries from now on; none at all is back to the price list. */
    to: typedOwnPrice,
  })
  .refine(({ model, to }) => isUsableName(model) || !hasOwnPrice(to), {
    path: ["model"],
    error: `Please enter a name of at most ${MAX_NAME_LENGTH} characters`,
  })
  .refine(({ model, to }) => !hasUnseen(model) || !hasOwnPrice(to), {
    path: ["model"],
    params: { code: "name_characters" },
  });
export type PriceChange = z.output<typeof priceChange>;

export const changePrices = endpoint({
  method: "PUT",
  path: "/api/prices",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Changes own prices of models, all of them or none",
  body: z.object({ changes: z.array(priceChange).min(1).max(MAX_CHANGES) }),
  bodyBytes: LONG_BODY_BYTES,
  data: z.object({ changed: z.number() }),
});

export const dryRunPrices = streamEndpoint({
  method: "POST",
  path: "/api/prices/dry_run",
  access: "admin",
  act: "money",
  object: "site",
  summary:
    "What the calls of the last days would have cost under a draft of prices, by model, user and group: lines of JSON, first how far it is, at last the result",
  body: dryRunRequest,
  bodyBytes: LONG_BODY_BYTES,
  mediaType: "application/x-ndjson",
});

const tableDrafts = z.object({ tables: z.array(tableDraft).min(1).max(PRICE_TABLES.length) });

export const compareTables = endpoint({
  method: "POST",
  path: "/api/prices/tables/compare",
  access: "admin",
  act: "money",
  object: "site",
  summary: "What whole price tables would change, without storing them",
  body: tableDrafts,
  bodyBytes: LONG_BODY_BYTES,
  data: tablesDifference,
});

export const replaceTables = endpoint({
  method: "PUT",
  path: "/api/prices/tables",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Replaces whole price tables, all of them or none",
  body: tableDrafts,
  bodyBytes: LONG_BODY_BYTES,
});

export const listPriceSites = endpoint({
  method: "GET",
  path: "/api/prices/sites",
  access: "admin",
  object: "site",
  act: "channels_see",
  summary: "Channels with a base URL of their own, which may be sites that publish prices",
  data: z.array(z.object({ id: z.number(), name: z.string(), base_url: z.string(), status: z.number() })),
});

export const compareSites = endpoint({
  method: "POST",
  path: "/api/prices/sites/compare",
  access: "admin",
  object: "site",
  act: "money",
  summary: "Asks other sites of this API family for their prices, and says which differ; nothing is stored",
  body: comparedSites,
  data: sitesComparison,
});

export const getPriceList = endpoint({
  method: "GET",
  path: "/api/prices/list",
  access: "admin",
  act: "money",
  object: "site",
  summary: "The price list in force: its version, what the last upgrade changed in it, and what was accepted over it",
  data: z.object({
    shipped: shippedVersion,
    models: z.number(),
    /** The list before the last upgrade; null where there was none. */
    previous: shippedVersion.nullable(),
    /** What the last upgrade changed. */
    changes: z.array(listDifference),
    /** The newest first. */
    accepted: z.array(acceptedChange),
    /** The option PriceListUrl. */
    source: z.string(),
    /** Models whose own price is not the list's. */
    differing: z.number(),
  }),
});

export const fetchPriceList = endpoint({
  method: "POST",
  path: "/api/prices/list/fetch",
  access: "admin",
  act: "money",
  object: "site",
  summary:
    "Reads the list at the address of the option PriceListUrl and says what it would change; nothing changes yet",
  data: z.object({
    source: z.string(),
    /** Names the list that the lines were compared with; sent with what is accepted. */
    base: z.string(),
    /** Rules that the fetched list has of the providers that are used here. */
    rules: z.number(),
    /** Providers of the fetched list whose prices are not used here. */
    unused_providers: z.array(z.string()),
    lines: z.array(fetchedLine),
  }),
});

export const acceptPriceList = endpoint({
  method: "POST",
  path: "/api/prices/list/accept",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Puts lines of a fetched list in force over the product's own",
  body: z.strictObject({
    source: z.string().min(1).max(2048),
    base: z.string().max(4096),
    lines: z.array(acceptedLine).min(1).max(MAX_ACCEPTED_LINES),
  }),
  bodyBytes: LONG_BODY_BYTES,
  data: z.object({ id: z.number() }),
});

export const undoPriceList = endpoint({
  method: "DELETE",
  path: "/api/prices/list/accepted/{id}",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Takes accepted lines of a list out of force",
  params: pathId,
});

export const applyPrices = endpoint({
  method: "POST",
  path: "/api/prices/changes",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Changes prices of models and ratios of groups now or from a date, all of them or none",
  body: appliedPrices,
  bodyBytes: LONG_BODY_BYTES,
  data: z.object({ id: z.number(), is_applied: z.boolean() }),
});

export const listPriceChanges = endpoint({
  method: "GET",
  path: "/api/prices/changes",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Changes of prices that wait for their date, and the latest that were applied, cancelled or failed",
  data: z.array(storedPriceChange),
});

export const cancelPriceChange = endpoint({
  method: "DELETE",
  path: "/api/prices/changes/{id}",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Cancels a change of prices that waits for its date",
  params: pathId,
});

export const listPriceVersions = endpoint({
  method: "GET",
  path: "/api/prices/versions",
  access: "admin",
  act: "money",
  object: "site",
  summary: "The latest price tables that were in force, the newest first, and how they differ from those of now",
  data: z.array(priceTablesVersion),
});

export const restorePriceVersion = endpoint({
  method: "POST",
  path: "/api/prices/versions/{id}/restore",
  access: "admin",
  act: "money",
  object: "site",
  summary:
    "Goes back to earlier prices of models and tools, and to the earlier ratios of the groups that were there and still are",
  params: pathId,
  data: z.object({ changed: z.number() }),
});
