/** Waiting with a bound, for what a client should not wait for longer. */

/** Resolves when `work` is over, well or not, or after `limitMs` milliseconds; `work` goes on. */
export async function withTimeout(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([work.catch(() => undefined), bound]);
  clearTimeout(timer);
}
