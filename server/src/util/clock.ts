/** Clocks, and Unix seconds as rows and responses have them; imported by every room of the server. */

/** Gives milliseconds: since 1970 where times are stored, of any clock that only grows where they are compared within one process. */
export type Clock = () => number;

/** Whole seconds of a time in milliseconds, rounded down. */
export const toSeconds = (timeMs: number): number => Math.floor(timeMs / 1000);

/** The time of a clock in whole seconds, rounded down; Unix seconds of the machine without one. */
export const nowSeconds = (clock: Clock = Date.now): number => toSeconds(clock());
