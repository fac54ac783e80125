/** Channel health for administrators: success and latency by channel, model and stretch of time, what is cooling down, and the public availability of models. */
import { z } from "zod";
import { callFigures, FAILURE_KINDS } from "../call-figures.ts";
import { endpoint } from "../endpoint.ts";
import { pathId, queryInteger, queryText } from "../query.ts";

/** The ranges the page offers, in hours, to the hours of one cell of each. */
const CELL_HOURS = { 24: 1, 168: 6, 720: 24 } as const;
export type HealthHours = keyof typeof CELL_HOURS;
export const HEALTH_HOURS = [24, 168, 720] as const satisfies readonly HealthHours[];

/** Rows of one answer: channels of the page, or models of a channel. */
export const HEALTH_ROWS_MOST = 200;

const HOUR_S = 3600;

/** Stretches of time that figures are split into, the oldest first. */
export interface HealthCells {
  /** The first second of the first cell, Unix seconds. */
  start: number;
  /** Seconds of a cell. */
  width: number;
  count: number;
}

/** The cells of a range, by UTC: the last one is under way. Any other range is that of 24 hours. @param nowS Unix seconds */
export function healthCells(nowS: number, hours: number | undefined): HealthCells {
  const asked = HEALTH_HOURS.find((each) => each === hours) ?? HEALTH_HOURS[0];
  const width = CELL_HOURS[asked] * HOUR_S;
  const count = asked / CELL_HOURS[asked];
  return { start: Math.floor(nowS / width) * width - (count - 1) * width, width, count };
}

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

/** One stretch of time; those without an attempt are left out. */
const healthCell = z.object({
  /** Its first second, Unix seconds. */
  at: z.number(),
  succeeded: z.number(),
  /** Failed attempts, those among them after which another channel or key was asked. */
  failed: z.number(),
  /** Of those that failed: refused requests, which say nothing of the channel. */
  refused: z.number(),
  /** Times to the first token in milliseconds; null where none was measured. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});
export type HealthCell = z.output<typeof healthCell>;

const lastFailure = z.object({
  /** Unix seconds: of the failed call; where no failed call is known, the beginning of the cell. */
  at: z.number(),
  /** False where only the cell is known. */
  is_exact: z.boolean(),
  kind: z.enum(FAILURE_KINDS),
  /** What the upstream or the gateway said; empty where it is unknown, and for administrators who may not read the log. */
  words: z.string(),
});
export type LastFailure = z.output<typeof lastFailure>;

const channelHealth = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  status: z.enum(["enabled", "disabled", "auto_disabled"]),
  breakers: z.array(breaker),
  /** Of attempts: one that another channel or key answered afterwards is a failure here. */
  figures: callFigures,
  cells: z.array(healthCell),
  /** In the range; null where nothing failed but refused requests. */
  last_failure: lastFailure.nullable(),
});
export type ChannelHealthRow = z.output<typeof channelHealth>;

/** How the cells of all rows lie in time. */
const grid = {
  /** Unix seconds: the first second that is counted. */
  start: z.number(),
  /** Seconds of a cell. */
  cell_seconds: z.number(),
  cell_count: z.number(),
};

export const healthPage = z.object({
  /** At most 200, those with trouble first. */
  items: z.array(channelHealth),
  /** Channels that match. */
  total: z.number(),
  ...grid,
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
    "How well channels served calls in the last `hours` (24, 168 or 720), by attempts: one after which another channel or key answered is a failure here. Cells are hours, 6 hours or days by UTC. Which are left alone now; those with trouble first, at most 200",
  query: z.object({ hours: queryInteger, keyword: queryText }),
  data: healthPage,
});

export const channelModelsHealth = z.object({
  /** Models that were asked for in the range, those with most attempts first; at most 200. */
  models: z.array(z.object({ model: z.string(), figures: callFigures, cells: z.array(healthCell) })),
  total: z.number(),
  ...grid,
});
export type ChannelModelsHealth = z.output<typeof channelModelsHealth>;

export const getChannelModelsHealth = endpoint({
  method: "GET",
  path: "/api/channel/{id}/health",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary: "How well one channel served each of its models in the last `hours`, in the same cells",
  params: pathId,
  query: z.object({ hours: queryInteger }),
  data: channelModelsHealth,
});

/** Days that the public page shows; the last one is today's, by UTC. */
export const AVAILABILITY_DAYS = 30;
/** Models on the public page. */
export const AVAILABILITY_MODELS_MOST = 500;

/** `few`: too few calls to say. */
const availabilityState = z.enum(["good", "fair", "bad", "few"]);
export type AvailabilityState = z.output<typeof availabilityState>;

export const modelsAvailability = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      /** Now: `down` where no channel offers it, `degraded` where calls of the last hours fail. */
      state: z.enum(["up", "degraded", "down"]),
      /** Share of calls that succeeded in the last 24 hours and in 30 days, 0 to 1 in thousandths, never rounded up; null where there were too few. */
      day_share: z.number().nullable(),
      month_share: z.number().nullable(),
      /** The last 30 days by UTC, the oldest first. */
      days: z.array(availabilityState),
    }),
  ),
  /** More models exist than are listed. */
  is_cut: z.boolean(),
  /** Unix seconds: the first second of the first day. */
  start: z.number(),
  /** Unix seconds: when this was put together; it stays for 30 seconds. */
  made_at: z.number(),
});
export type ModelsAvailability = z.output<typeof modelsAvailability>;

export const getModelsAvailability = endpoint({
  method: "GET",
  path: "/api/status/models",
  access: "public",
  object: "none",
  summary:
    "How available the models are that visitors see, now and in 30 days, while StatusPageEnabled is on; made anew every 30 seconds. It says nothing of channels, numbers of calls, prices or people",
  data: modelsAvailability,
});
