/** The viewer's balance while it is below their threshold, read from a header of each answer; the bar above the console shows it. */
import { createStore, useStore } from "./store.ts";
import { viewer } from "./viewer.ts";

/** Quota, and whose it is: another person who logs in here begins with none. */
interface LowBalance {
  userId: number;
  quota: number;
}

const current = createStore<LowBalance | null>(() => null);

/** @param header of an answer: quota, "none", or null for an answer that says nothing of it */
export function noteLowBalance(header: string | null): void {
  if (header === null) return;
  const quota = header === "none" ? Number.NaN : Number(header);
  const userId = viewer()?.id ?? 0;
  if (!Number.isFinite(quota)) return current.set(null);
  const known = current.get();
  if (known?.quota !== quota || known.userId !== userId) current.set({ userId, quota });
}

/** The balance in quota where it is low; undefined otherwise. */
export function useLowBalance(): number | undefined {
  const low = useStore(current);
  return low !== null && low.userId === viewer()?.id ? low.quota : undefined;
}
