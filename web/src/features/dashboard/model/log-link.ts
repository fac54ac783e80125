/** Addresses of the log for what the dashboard shows: the calls behind a bar, a part, a legend entry or a row. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import { stringifySearch } from "../../../lib/address.ts";

export interface LogFilter {
  /** Unix seconds, inclusive. */
  start: number;
  end: number;
  model?: string | undefined;
  channel?: number | undefined;
  token?: string | undefined;
  username?: string | undefined;
  /** Calls that were charged for, or that failed; both where absent. */
  type?: "charged" | "failed" | undefined;
  errorCode?: string | undefined;
}

const TYPES = { charged: LOG_TYPE.consumption, failed: LOG_TYPE.error } as const;

/** The log has no filter for a name that is blank, and takes `%` for any characters. */
const isExact = (name: string | undefined): boolean => name === undefined || (name !== "" && !name.includes("%"));

/** The address; undefined where the log would show other calls too. */
export function logHref(filter: LogFilter): string | undefined {
  const { start, end, model, channel, token, username, type, errorCode } = filter;
  if (![model, token, username].every(isExact) || channel === 0) return undefined;
  const search = {
    type: type === undefined ? undefined : TYPES[type],
    model_name: model,
    channel,
    token_name: token,
    username,
    error_code: errorCode,
    start_timestamp: start,
    end_timestamp: end,
  };
  return `/log${stringifySearch(search)}`;
}

/** Kinds of failure that are one error code each: those alone the log can be asked for. */
const CODE_OF_KIND: Readonly<Record<string, string>> = {
  key_refused: "channel_key_refused",
  no_channel: "no_available_channel",
};

/** What the log is asked for to show the failures of a kind; undefined where no filter is for these alone. */
export function callsOfKind(kind: string): Pick<LogFilter, "type" | "errorCode"> | undefined {
  const errorCode = CODE_OF_KIND[kind];
  return errorCode === undefined ? undefined : { type: "failed", errorCode };
}

/**
 * What the log is asked for to show failures of all kinds. An answer that broke off may have been charged for what came of it, and is no
 * error in the log: where there is one, no filter is for the failures alone.
 */
export const failedCalls = ({ broken_off }: { broken_off: number }): Pick<LogFilter, "type"> | undefined =>
  broken_off === 0 ? { type: "failed" } : undefined;

/** First and last second of a slot of a chart. */
export function boundsOfSlot(
  { buckets, end }: { buckets: readonly number[]; end: number },
  slot: number,
): { start: number; end: number } {
  return { start: buckets[slot] ?? 0, end: (buckets[slot + 1] ?? end + 1) - 1 };
}
