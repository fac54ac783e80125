/** Shapes of what the log is summed up by: values of a field, a histogram, and groups. */
import { z } from "zod";

export const LOG_FACETS = ["model", "token", "user", "channel", "group", "error_code"] as const;
export type LogFacet = (typeof LOG_FACETS)[number];
export const OWN_FACETS = ["model", "token", "group", "error_code"] as const satisfies readonly LogFacet[];

/** What the log is grouped by: the program that called has no column, and no values to choose from but those of the table of programs. */
export const LOG_GROUP_FIELDS = [...LOG_FACETS, "client"] as const;
export type LogGroupField = (typeof LOG_GROUP_FIELDS)[number];
export const OWN_GROUP_FIELDS = [...OWN_FACETS, "client"] as const satisfies readonly LogGroupField[];

/** Values of a field that occur. */
export const logFacets = z.object({
  /** The values that occur, those with the most calls first; at most 100. */
  values: z.array(
    z.object({
      /** The value as the filter takes it. */
      value: z.string(),
      /** Name to show, where the value is a number. */
      name: z.string(),
      calls: z.number(),
    }),
  ),
  /** More values exist than are listed. */
  is_cut: z.boolean(),
  /** Failed calls were counted only among the newest ones. */
  is_sample: z.boolean(),
  /** Calls are counted from this time on (Unix seconds): the whole hours of the range, at most 92 days. */
  since: z.number(),
});
export type LogFacets = z.output<typeof logFacets>;

/** A histogram has at most so many bars. */
export const LOG_BARS = 100;

/** The log over time. */
export const logHistogram = z.object({
  /** Seconds of a bar. */
  width: z.number(),
  /** The beginning of the first bar's time, Unix seconds; the others follow each after its width. */
  origin: z.number(),
  /** Bars that have something, the oldest first. `at` (Unix seconds) is the beginning of the bar's time. */
  bars: z.array(
    z.object({
      at: z.number(),
      /** Answered calls. */
      calls: z.number(),
      errors: z.number(),
      /** What the calls cost, in quota. */
      quota: z.number(),
    }),
  ),
  /** The time that the bars cover; Unix seconds, inclusive. At most the newest 92 days of the range. */
  start: z.number(),
  end: z.number(),
  /** Failed calls before this time were not counted, because there are too many after it; 0: all were. */
  errors_since: z.number(),
  /** As in a page of rows. */
  searched_since: z.number(),
});
export type LogHistogram = z.output<typeof logHistogram>;

/** What a list of groups is sorted by, each from the largest on. */
export const LOG_GROUP_ORDERS = ["calls", "errors", "quota"] as const;
export type LogGroupOrder = (typeof LOG_GROUP_ORDERS)[number];
/** Groups of a list. */
export const LOG_GROUPS_MOST = 200;

/** The log by one field. */
export const logGroups = z.object({
  groups: z.array(
    z.object({
      /** The value as the filter takes it; by program "" for those that are not known. */
      value: z.string(),
      /** Name to show, where the value is a number. */
      name: z.string(),
      /** Answered calls. */
      calls: z.number(),
      errors: z.number(),
      /** What the calls cost, in quota. */
      quota: z.number(),
      /** Of the newest 2,000 answered calls of the list together. */
      prompt_tokens: z.number(),
      /** Of these, the tokens that upstreams read from their caches. */
      cached_tokens: z.number(),
    }),
  ),
  /** There are more groups than are listed. */
  is_cut: z.boolean(),
  /** As in a histogram. */
  start: z.number(),
  end: z.number(),
  errors_since: z.number(),
  searched_since: z.number(),
  /** Tokens, and by program calls and their cost too, are of answered calls since this time (Unix seconds); 0: of all. */
  tokens_since: z.number(),
});
export type LogGroups = z.output<typeof logGroups>;
