/** The part of a limit that one process keeps to by itself where nothing shared counts for all of them. */

/**
 * `limit` divided among so many processes: together they never allow more than the limit, as long as it is at least one for each.
 * 0 (no limit) stays 0.
 */
export const shareOf = (limit: number, processes: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / Math.max(1, processes)));
