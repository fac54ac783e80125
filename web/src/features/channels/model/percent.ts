/** Shares as people read them. Pure. */

/** "40%", and "<1%" for what is more than nothing. @param share 0 to 1 */
export const formatPercent = (share: number): string =>
  share > 0 && share < 0.01 ? "<1%" : `${Math.round(share * 100)}%`;
