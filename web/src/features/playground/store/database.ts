/** Conversations in the browser's own database. Where the browser refuses it (private windows) a message says so once, and nothing is stored. */
import { withinKept } from "../model/attachments.ts";
import type { Conversation } from "../model/conversation.ts";

const NAME = "turnpike_playground";
const VERSION = 1;
const STORE = "conversations";
const BY_USER = "userId";

let opened: Promise<IDBDatabase> | undefined;

const asked = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
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

/** All conversations of one person. Rejects where the browser keeps nothing. */
export async function readConversations(userId: number): Promise<Conversation[]> {
  const store = await storeFor("readonly");
  // This page alone writes there, by the same type.
  return asked(store.index(BY_USER).getAll(userId)) as Promise<Conversation[]>;
}

export async function writeConversation(conversation: Conversation): Promise<void> {
  await asked((await storeFor("readwrite")).put(withinKept(conversation)));
}

export async function deleteConversations(ids: readonly string[]): Promise<void> {
  const store = await storeFor("readwrite");
  await Promise.all(ids.map((id) => asked(store.delete(id))));
}

/** How many one person has here. Rejects where the browser keeps nothing. */
export async function countConversations(userId: number): Promise<number> {
  return asked((await storeFor("readonly")).index(BY_USER).count(userId));
}

export async function deleteConversationsOf(userId: number): Promise<void> {
  const store = await storeFor("readwrite");
  const ids = await asked(store.index(BY_USER).getAllKeys(userId));
  await Promise.all(ids.map((id) => asked(store.delete(id))));
}
