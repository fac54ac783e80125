/** The conversations of the logged-in user: in memory while the page is open, and kept in the browser's database. */
import { createStore, type Readable, useStore } from "../../../lib/store.ts";
import { viewer } from "../../../lib/viewer.ts";
import { type Conversation, settled } from "../model/conversation.ts";
import { deleteConversations, deleteConversationsOf, readConversations, writeConversation } from "./database.ts";

/** Maximum for each user; the one that was used longest ago goes first. */
const KEPT = 100;
/** A reply that comes is written at most this often. */
const WRITE_MS = 1000;

interface State {
  /** Whose they are; undefined until they were asked for. */
  userId: number | undefined;
  /** False while the browser's database is being read. */
  isReady: boolean;
  /** True where the browser keeps nothing. */
  isForgetful: boolean;
  all: ReadonlyMap<string, Conversation>;
}

const state = createStore<State>(() => ({ userId: undefined, isReady: false, isForgetful: false, all: new Map() }));
const waiting = new Map<string, ReturnType<typeof setTimeout>>();

const setState = (next: Partial<State>): void => state.update((current) => ({ ...current, ...next }));

const forget = (): void => {
  if (!state.get().isForgetful) setState({ isForgetful: true });
};

async function load(userId: number): Promise<void> {
  setState({ userId, isReady: false, all: new Map() });
  const found = await readConversations(userId).catch(() => {
    forget();
    return [];
  });
  // Another user may have logged in meanwhile.
  if (state.get().userId !== userId) return;
  setState({
    isReady: true,
    all: new Map([...found.map((each) => [each.id, settled(each)] as const), ...state.get().all]),
  });
}

function write(id: string): void {
  clearTimeout(waiting.get(id));
  waiting.delete(id);
  const conversation = state.get().all.get(id);
  if (conversation !== undefined && conversation.updatedAt > 0) writeConversation(conversation).catch(forget);
}

function writeSoon(id: string): void {
  if (!waiting.has(id))
    waiting.set(
      id,
      setTimeout(() => write(id), WRITE_MS),
    );
}

/** What is waiting to be written is written when the page is left. */
addEventListener("pagehide", () => {
  for (const id of waiting.keys()) write(id);
});

const byAge = (all: Iterable<Conversation>): Conversation[] => [...all].toSorted((a, b) => b.updatedAt - a.updatedAt);

function dropOldest(): void {
  // Pinned ones stay.
  const dropped = byAge(state.get().all.values())
    .filter(({ isPinned }) => isPinned !== true)
    .slice(KEPT)
    .map(({ id }) => id);
  if (dropped.length > 0) removeConversations(dropped);
}

/** The conversation as it is now; undefined where there is none of that id. */
export const conversation = (id: string): Conversation | undefined => state.get().all.get(id);

/** Adds a conversation that has just begun; it is written once something is said in it. */
export function addConversation(next: Conversation): void {
  setState({ all: new Map(state.get().all).set(next.id, next) });
}

/**
 * Changes a conversation; one that is gone stays gone.
 * @param place `quietly` leaves it where it stands in the list: nothing was said
 * @param rhythm `soon` for one of many changes in a row, of which the database need not have each
 */
export function changeConversation(
  id: string,
  change: (old: Conversation) => Conversation,
  rhythm: "now" | "soon" = "now",
  place: "first" | "quietly" = "first",
): void {
  const old = state.get().all.get(id);
  if (old === undefined) return;
  const isFirst = old.updatedAt === 0;
  const updatedAt = place === "quietly" ? old.updatedAt : Date.now();
  setState({ all: new Map(state.get().all).set(id, { ...change(old), updatedAt }) });
  if (rhythm === "now") write(id);
  else writeSoon(id);
  if (isFirst) dropOldest();
}

/** Removes conversations here and in the database. */
export function removeConversations(ids: readonly string[]): void {
  const all = new Map(state.get().all);
  for (const id of ids) {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
    all.delete(id);
  }
  setState({ all });
  deleteConversations(ids).catch(forget);
}

/** Removes all of one person's conversations from this browser; a reply that is still coming is not kept either. */
export async function removeConversationsOf(userId: number): Promise<void> {
  for (const timer of waiting.values()) clearTimeout(timer);
  waiting.clear();
  setState({ all: new Map() });
  await deleteConversationsOf(userId);
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

/** The conversations that were used, newest first, and whether they are known yet and will be kept. */
export function useConversations(): { list: readonly Conversation[]; isReady: boolean; isForgetful: boolean } {
  const { all, isReady, isForgetful } = useStore(loaded);
  return { list: byAge(all.values()).filter(({ updatedAt }) => updatedAt > 0), isReady, isForgetful };
}

export const useConversation = (id: string | undefined): Conversation | undefined =>
  useStore(loaded, ({ all }) => (id === undefined ? undefined : all.get(id)));
