/** Prices that other sites of this API family publish, compared with one's own: the shapes of the API. */
import { z } from "zod";
import { type OwnRatioOption, storedOwnPrice } from "./own-prices.ts";
import { priceFields } from "./price-fields.ts";

const FIELDS = ["model_ratio", "completion_ratio", "cache_ratio", "create_cache_ratio", "model_price"] as const;
export type SitePriceField = (typeof FIELDS)[number];

/** Fields of `/api/ratio_config`, with the option that holds one's own. Facts: docs.newapi.pro/en/api/fei-model-rate-sync. */
export const SITE_PRICE_FIELDS = {
  model_ratio: "ModelRatio",
  completion_ratio: "CompletionRatio",
  cache_ratio: "CacheRatio",
  create_cache_ratio: "CacheCreationRatio",
  model_price: "ModelPrice",
} as const satisfies Readonly<Record<SitePriceField, OwnRatioOption>>;

/** What a site says of a model, as decimal texts; `model_price` is USD a call, and stands alone. */
const sitePrice = z.partialRecord(z.enum(FIELDS), z.string());
export type SitePrice = z.output<typeof sitePrice>;

/** Sites of one comparison, and seconds that one may take for everything. */
const SITES_MAX = 10;
const TIMEOUT_S = { usual: 15, most: 30 } as const;
const ADDRESS_LENGTH = 500;
const NAME_LENGTH = 64;

/** An http(s) address without a user and password, which would go into requests and logs. */
function isSiteAddress(text: string): boolean {
  const address = URL.parse(text);
  const isWeb = address?.protocol === "https:" || address?.protocol === "http:";
  return isWeb && address.username === "" && address.password === "";
}

const site = z.strictObject({
  /** What it is called in the answer; its host where absent. */
  name: z.string().trim().max(NAME_LENGTH).optional(),
  base_url: z
    .string()
    .trim()
    .max(ADDRESS_LENGTH)
    .refine(isSiteAddress, "Please enter an address that starts with http:// or https://"),
  /** Path of the list; the usual ones are tried where absent. */
  endpoint: z.string().trim().max(ADDRESS_LENGTH).regex(/^\//, "Please enter a path that starts with /").optional(),
});
export type PriceSite = z.output<typeof site>;

export const comparedSites = z
  .strictObject({
    sites: z.array(site).max(SITES_MAX).default([]),
    /** Channels whose base URLs are such sites. */
    channel_ids: z.array(z.int()).max(SITES_MAX).default([]),
    /** Seconds that each site may take. */
    timeout: z.int().min(1).max(TIMEOUT_S.most).default(TIMEOUT_S.usual),
  })
  .refine(({ sites, channel_ids }) => sites.length + channel_ids.length > 0, {
    path: ["sites"],
    error: "Please name at least one site",
  })
  .refine(({ sites, channel_ids }) => sites.length + channel_ids.length <= SITES_MAX, {
    path: ["sites"],
    error: `At most ${SITES_MAX} sites at a time`,
  });
export type ComparedSites = z.output<typeof comparedSites>;

/** Why a site's prices were not read: its address, no answer within time and size, another status than 200, or no list of prices. */
const SITE_FAILURES = ["address_refused", "not_answered", "status", "form", "no_channel"] as const;
export type SiteFailure = (typeof SITE_FAILURES)[number];

const readSite = z.object({
  name: z.string(),
  /** Of the list that was read, or tried last. */
  address: z.string(),
  failure: z.enum(["", ...SITE_FAILURES]),
  /** Models whose prices were read. */
  models: z.number(),
  /** Entries that are no price: negative, beyond 1,000,000, no number, or under a name that no model can have. */
  refused: z.number(),
});
export type ReadSite = z.output<typeof readSite>;

const siteLine = z.object({
  model: z.string(),
  /** An enabled channel offers it. */
  is_enabled: z.boolean(),
  /** By which calls are charged here; null if the model has no price. */
  price: priceFields.nullable(),
  /** The own entries, which a change is based on. */
  own: storedOwnPrice,
  /** Each other price, with the names of the sites that say it; the one of most sites first. */
  offers: z.array(
    z.object({
      price: sitePrice,
      sites: z.array(z.string()),
      /** The own entries with this price taken: what PUT /api/prices is sent for it. */
      to: storedOwnPrice,
      /** By which calls would be charged then; null if the model would have no price. */
      after: priceFields.nullable(),
    }),
  ),
  /** Sites that say what is charged here. */
  same: z.array(z.string()),
});
export type SiteLine = z.output<typeof siteLine>;

/** Lines of one answer at most; those of enabled channels come first. */
export const SITE_LINES_MAX = 2_000;

export const sitesComparison = z.object({
  sites: z.array(readSite),
  /** Models of which at least one site says another price. */
  lines: z.array(siteLine),
  /** Of all, also those left out. */
  line_count: z.number(),
});
export type SitesComparison = z.output<typeof sitesComparison>;
