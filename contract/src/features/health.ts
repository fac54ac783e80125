/** Channel health for administrators: success and latency by channel and model, and the channels and keys that are cooling down. */
import { z } from "zod";
import { callFigures } from "../call-figures.ts";
import { endpoint } from "../endpoint.ts";
import { queryInteger, queryPage, queryPageSize, queryText } from "../query.ts";

/** The ranges the page offers, in hours. */
export const HEALTH_HOURS = [1, 24, 168] as const;
export type HealthHours = (typeof HEALTH_HOURS)[number];

const breaker = z.object({
  /** `resting`: in cooldown after consecutive failures; `resting_as_asked`: for as long as the upstream's Retry-After says. */
  reason: z.enum(["resting", "resting_as_asked"]),
  /** Unix milliseconds, the latest of all processes. */
  until_ms: z.number(),
  /** In how many processes it is cooling down. */
  processes: z.number(),
  /** The masked key; "" for the whole channel. */
  key_mark: z.string(),
});
export type HealthBreaker = z.output<typeof breaker>;

const channelHealth = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  status: z.enum(["enabled", "disabled", "auto_disabled"]),
  breakers: z.array(breaker),
  /** Of attempts: one that another channel or key answered afterwards is a failure here. */
  figures: callFigures,
  /** Models that were asked for in the range, those with most attempts first. */
  models: z.array(z.object({ model: z.string(), figures: callFigures })),
});
export type ChannelHealthRow = z.output<typeof channelHealth>;

export const healthPage = z.object({
  items: z.array(channelHealth),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
  /** Unix seconds: the first hour that is counted. */
  start: z.number(),
  /** Channels with an open circuit breaker, regardless of the filter. */
  open: z.number(),
});
export type HealthPage = z.output<typeof healthPage>;

export const getChannelHealth = endpoint({
  method: "GET",
  path: "/api/channel/health",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "How well channels served each model in the last `hours` (1, 24 or 168), by attempts: one after which another channel or key answered is a failure here. Which are left alone now; those with trouble first. Pages count from 1",
  query: z.object({ hours: queryInteger, keyword: queryText, p: queryPage(1), page_size: queryPageSize }),
  data: healthPage,
});
