/** Pictures and speech that came at once, in the browser's own database: no server stores them. Bounded for each user in number and size. */
import { createStore, type Readable, useStore } from "../../../lib/store.ts";
import { viewer } from "../../../lib/viewer.ts";
import type { Options, StudioKind } from "../model/studio.ts";

export interface Kept {
  id: string;
  /** Whose it is: browsers may be shared. */
  userId: number;
  kind: StudioKind;
  model: string;
  prompt: string;
  options: Options;
  /** Milliseconds since 1970. */
  atMs: number;
  /** Of the call that made it. */
  requestId: string;
  /** Its bytes; absent where the vendor gave an address. */
  blob?: Blob;
  address?: string;
}

/** Maximum for each user, in number and in bytes together; the oldest go first. */
export const KEPT_MOST = 100;
export const KEPT_BYTES_MOST = 200 * 1024 * 1024;

const NAME = "turnpike_studio";
const STORE = "kept";
const BY_USER = "userId";

const ID_LENGTH = 14;
const ID_BASE = 36;

/** An id of something that is kept. Not randomUUID: browsers have that on encrypted sites only. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(ID_LENGTH)), (byte) => (byte % ID_BASE).toString(ID_BASE)).join("");

let opened: Promise<IDBDatabase> | undefined;

const asked = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore(STORE, { keyPath: "id" }).createIndex(BY_USER, BY_USER);
    });
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
    request.addEventListener("blocked", () => reject(new Error("the database is blocked")));
  });
  return opened;
}

const storeFor = async (mode: IDBTransactionMode): Promise<IDBObjectStore> =>
  (await open()).transaction(STORE, mode).objectStore(STORE);

interface State {
  /** Whose they are; undefined until they were asked for. */
  userId: number | undefined;
  isReady: boolean;
  /** True where the browser keeps nothing. */
  isForgetful: boolean;
  /** Newest first. */
  list: readonly Kept[];
}

const state = createStore<State>(() => ({ userId: undefined, isReady: false, isForgetful: false, list: [] }));

const newestFirst = (list: readonly Kept[]): Kept[] => list.toSorted((one, other) => other.atMs - one.atMs);

/** Those that go beyond the bounds, of a list with the newest first. */
export function beyondBounds(list: readonly Kept[]): Kept[] {
  let bytes = 0;
  return list.filter(({ blob }, index) => {
    bytes += blob?.size ?? 0;
    return index >= KEPT_MOST || (index > 0 && bytes > KEPT_BYTES_MOST);
  });
}

async function load(userId: number): Promise<void> {
  state.set({ userId, isReady: false, isForgetful: false, list: [] });
  try {
    const found = (await asked((await storeFor("readonly")).index(BY_USER).getAll(userId))) as Kept[]; // written here alone
    // Another person may have logged in, and something may have been made, meanwhile.
    state.update((now) =>
      now.userId === userId ? { ...now, isReady: true, list: newestFirst([...now.list, ...found]) } : now,
    );
  } catch {
    // Private windows: the page says that nothing stays.
    state.update((now) => ({ ...now, isReady: true, isForgetful: true }));
  }
}

/** Removes them here and in the database. */
export async function removeKept(gone: readonly Kept[]): Promise<void> {
  const ids = new Set(gone.map(({ id }) => id));
  state.update((now) => ({ ...now, list: now.list.filter(({ id }) => !ids.has(id)) }));
  const store = await storeFor("readwrite");
  await Promise.all([...ids].map((id) => asked(store.delete(id))));
}

/** Adds one; where the browser keeps nothing it is there until the page is left. */
export async function addKept(kept: Kept): Promise<void> {
  state.update((now) => ({ ...now, list: newestFirst([kept, ...now.list]) }));
  try {
    await asked((await storeFor("readwrite")).put(kept));
    const gone = beyondBounds(state.get().list);
    if (gone.length > 0) await removeKept(gone);
  } catch {
    state.update((now) => ({ ...now, isForgetful: true }));
  }
}

/** How many one person has here. Rejects where the browser keeps nothing. */
export const countKept = async (userId: number): Promise<number> =>
  asked((await storeFor("readonly")).index(BY_USER).count(userId));

/** Removes all of one person's from this browser. */
export async function removeKeptOf(userId: number): Promise<void> {
  state.update((now) => ({ ...now, list: [] }));
  const store = await storeFor("readwrite");
  const ids = await asked(store.index(BY_USER).getAllKeys(userId));
  await Promise.all(ids.map((id) => asked(store.delete(id))));
}

/** The state; those of the person who is logged in are loaded when a component begins to read it. */
const loaded: Readable<State> = {
  get: state.get,
  subscribe: (listener) => {
    const end = state.subscribe(listener);
    const userId = viewer()?.id;
    if (userId !== undefined && state.get().userId !== userId) void load(userId);
    return end;
  },
};

/** Results of the user in this browser, newest first, and whether it stores any. */
export const useKept = (): State => useStore(loaded);
