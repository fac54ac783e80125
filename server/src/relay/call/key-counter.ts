/** Counts the calls of each key where channels have several; the composition root says where the counts go. */
export interface KeyCounter {
  /** A call was sent with the key; `hasFailed` where the upstream did not answer it. */
  used(keyId: number, hasFailed: boolean): void;
}
