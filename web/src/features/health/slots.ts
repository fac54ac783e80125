/** The cells of a row as slots of a strip: every stretch of time with its tone, and the part of the log that it stands for. Pure. */
import { shareOf } from "../../../../contract/src/call-figures.ts";
import type { HealthCell } from "../../../../contract/src/features/health.ts";
import { stringifySearch } from "../../lib/address.ts";
import { type Tone, toneOf } from "../../lib/call-share.ts";

/** How the cells of a page lie in time: first second, seconds of each, and how many. */
export interface Grid {
  start: number;
  cell_seconds: number;
  cell_count: number;
}

export interface Slot {
  /** Unix seconds, inclusive. */
  start: number;
  end: number;
  /** `none`: nothing was asked for. */
  tone: Tone | "none";
  /** Part of the calls that failed, 0 to 1. */
  faults: number;
  /** Attempts that say something of the channel. */
  calls: number;
  failed: number;
}

const NO_CELL = { succeeded: 0, failed: 0, refused: 0 };

/** One for each stretch of the grid, the oldest first. */
export function slotsOf({ start, cell_seconds, cell_count }: Grid, cells: readonly HealthCell[]): Slot[] {
  const byStart = new Map(cells.map((cell) => [cell.at, cell]));
  return Array.from({ length: cell_count }, (_, index) => {
    const at = start + index * cell_seconds;
    const cell = byStart.get(at) ?? NO_CELL;
    const share = shareOf(cell);
    const failed = cell.failed - cell.refused;
    const calls = cell.succeeded + failed;
    return {
      start: at,
      end: at + cell_seconds - 1,
      tone: share === null ? "none" : toneOf(share, calls),
      faults: share === null ? 0 : 1 - share,
      calls,
      failed,
    };
  });
}

/** The times of a row by stretch; null where there are none. */
export const timesOf = ({ start, cell_seconds, cell_count }: Grid, cells: readonly HealthCell[]) => {
  const byStart = new Map(cells.map((cell) => [cell.at, cell]));
  return Array.from({ length: cell_count }, (_, index) => {
    const { p50_ms = null, p95_ms = null } = byStart.get(start + index * cell_seconds) ?? {};
    return { p50_ms, p95_ms };
  });
};

/** The log of a channel, and of one of its models, in a stretch of time. A name with `%` would find others too, and is left out. */
export function logHref(
  channel: number,
  model: string | undefined,
  { start, end }: Pick<Slot, "start" | "end">,
): string {
  const model_name = model?.includes("%") === true ? undefined : model;
  return `/log${stringifySearch({ channel, model_name, start_timestamp: start, end_timestamp: end })}`;
}
