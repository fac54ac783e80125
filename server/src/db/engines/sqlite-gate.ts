/** Who may write when on SQLite's single writer: interactive transactions exclude everything, batch calls go before whatever else waits. */

export interface WriterGate {
  /** Waits for the writer and keeps it until `leave`; gives the transaction's number. */
  enter(): Promise<number>;
  /** Ends what `enter` began; doing it twice is harmless. */
  leave(transaction: number): void;
  /** Runs a lone statement as soon as no transaction is open, after everything that waits already. */
  write<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a batch as soon as no transaction is open, before everything else that waits. */
  batch<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Makes the gate. A transaction that stays open for `limitMs` loses the writer: `onExpired` has to roll it back, so that
 * a caller that waits for something outside cannot hold up the settlements.
 */
export function writerGate(limitMs: number, onExpired: (transaction: number) => Promise<unknown>): WriterGate {
  let lastTransaction = 0;
  let owner = 0;
  let timer: NodeJS.Timeout | undefined;
  let batches: (() => void)[] = [];
  const writes: (() => void)[] = [];

  const leave = (transaction: number) => {
    if (owner !== transaction) return;
    clearTimeout(timer);
    owner = 0;
    const waitingBatches = batches;
    batches = [];
    for (const start of waitingBatches) start();
    while (owner === 0 && writes.length > 0) writes.shift()?.();
  };
  const expire = (transaction: number) => {
    onExpired(transaction)
      .finally(() => leave(transaction))
      .catch(() => undefined); // A dead thread has told everybody already.
  };
  const take = () => {
    owner = ++lastTransaction;
    timer = setTimeout(expire, limitMs, owner);
    return owner;
  };
  const enter = () => {
    if (owner === 0) return Promise.resolve(take());
    return new Promise<number>((resolve) => writes.push(() => resolve(take())));
  };
  const write = <T>(work: () => Promise<T>): Promise<T> => {
    if (owner === 0) return work();
    return new Promise<T>((resolve, reject) => writes.push(() => work().then(resolve, reject)));
  };
  const batch = <T>(work: () => Promise<T>): Promise<T> => {
    if (owner === 0) return work();
    return new Promise<T>((resolve, reject) => batches.push(() => work().then(resolve, reject)));
  };
  return { enter, leave, write, batch };
}
