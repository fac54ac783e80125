/** Ports of the relay to the database: `stores/` and `tasks/` implement these interfaces, and app.ts passes them in. */
import type { FailureKind } from "../../../../contract/src/call-figures.ts";
import type { TaskPlatform } from "../../../../contract/src/tasks.ts";
import type { StoredTask, Submission, TaskEvent } from "../../tasks/kinds/kind.ts";

/** A call that holds its key. */
export interface KeyedCall {
  userId: number;
  tokenId: number;
  /** SHA-256, hexadecimal, of the key and of path and body. */
  keyHash: string;
  bodyHash: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
}

/** An answer in one piece, as its client got it. */
export interface KeptAnswer {
  status: number;
  contentType: string;
  body: Buffer;
}

/** The call that had the key first. */
export interface StoredCall {
  requestId: string;
  bodyHash: string;
  isRunning: boolean;
  /** Undefined where the answer was a stream, too large to keep or one too many of its user's, or has not come yet. */
  answer: KeptAnswer | undefined;
}

/** Where keys are kept for 24 hours, shared by all processes of a database. Methods reject where it does not answer. */
export interface IdempotencyStore {
  /** Takes the key, or gives the call that has it. */
  claim(call: KeyedCall): Promise<StoredCall | undefined>;
  /** Says how the call ended; `answer` where it can be sent again. It is kept where there is room for it. */
  finish(call: KeyedCall, answer: KeptAnswer | undefined): Promise<void>;
  /** Frees the key of a call that came to nothing. */
  release(call: KeyedCall): Promise<void>;
}

/** A token that an upstream gave in exchange for a key. */
export interface IssuedToken {
  token: string;
  /** Seconds from now on in which it is good. */
  lifetimeSeconds: number;
}

/** Such tokens, kept for all processes of a database. */
export interface AccessTokens {
  /**
   * The token of this name, exchanged where there is none that is good for a while yet: once for all who wait, in all processes. `name`
   * may hold a key; it is kept as its hash. Rejects with what `exchange` rejects with.
   */
  get(name: string, exchange: () => Promise<IssuedToken>): Promise<string>;
  /** The upstream has refused this token; another one that took its place meanwhile stays. */
  forget(name: string, token: string): Promise<void>;
}

/** Whose call it was, where it went and when it began (Unix seconds); ids are 0 where there is none. */
export interface CallPlace {
  readonly createdAt: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly model: string;
}

/** Counts how calls went, for the dashboard: in memory, so that nothing here waits or throws. */
export interface CallCounter {
  /** `firstTokenMs` is 0 where nothing was streamed. */
  succeeded(place: CallPlace, totalMs: number, firstTokenMs: number): void;
  failed(place: CallPlace, kind: FailureKind): void;
  /** A failed attempt after which another channel or key was asked. */
  retried(place: Pick<CallPlace, "createdAt" | "channelId" | "model">, kind: FailureKind): void;
}

/** Counts the calls of each key where channels have several: in memory, as the calls. */
export interface KeyCounter {
  /** A call was sent with the key; `hasFailed` where the upstream did not answer it. */
  used(keyId: number, hasFailed: boolean): void;
}

/** A response that its upstream stores: whose it is, and where. */
export interface StoredResponse {
  /** As the upstream gave it. */
  id: string;
  userId: number;
  channelId: number;
  /** Of a channel with several keys; else 0. */
  channelKeyId: number;
  /** As its client named it. */
  model: string;
}

/** Where it is kept which channel and key have a response, shared by all processes of a database. */
export interface StoredResponses {
  /** Keeps it for 30 days, of one user so many; another user's of the same id stays as it is. Never rejects: what fails is logged. */
  note(response: StoredResponse): Promise<void>;
  /** Undefined where none is known. Rejects where the database does not answer. */
  find(id: string): Promise<StoredResponse | undefined>;
  /** Its upstream has deleted it. */
  remove(response: StoredResponse): Promise<void>;
}

/** As OpenAI names them (developers.openai.com/api/docs/guides/background). */
export type BackgroundStatus = "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

/** A response that this gateway makes in the background. */
export interface BackgroundResponse {
  id: string;
  userId: number;
  /** As its client named it. */
  model: string;
  /** True where its events are kept too. */
  isStreamed: boolean;
  status: BackgroundStatus;
  /** The response object, a JSON text. */
  response: string;
  /** By which its upstream stores it too; empty where none does. */
  upstreamId: string;
}

/** The same as it is found: `maker` is the process that makes it, or did. */
export type FoundBackground = BackgroundResponse & { maker: "this" | "another" | "gone" };

/** Some of its events, up to the one of this number. */
export interface KeptEvents {
  lastSequence: number;
  /** As they are sent. */
  frames: readonly string[];
}

/** Responses of the background, shared by all processes of a database and kept for a day, of one user so many. Methods reject where it does not answer. */
export interface BackgroundResponses {
  begin(response: BackgroundResponse): Promise<void>;
  change(id: string, change: Partial<Pick<BackgroundResponse, "status" | "response" | "upstreamId">>): Promise<void>;
  addEvents(id: string, events: KeptEvents): Promise<void>;
  /** Events behind the one of that number, at least one where there are any; undefined where there is none. */
  eventsAfter(id: string, sequence: number): Promise<KeptEvents | undefined>;
  find(id: string): Promise<FoundBackground | undefined>;
  /** Has the process that makes it cancel it within a second or two. */
  askToCancel(id: string): Promise<void>;
  /** Those of this process that others were asked to cancel, as long as they are under way. */
  askedToCancel(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
}

/** Seals what only its user may read again, in any process of this site. */
export interface SealedTexts {
  /** The text under the site's key, for this user. */
  seal(userId: number, text: string): string;
  /** Undefined for a text that is another user's, or was changed. */
  open(userId: number, sealed: string): string | undefined;
}

/** A task that is about to be handed to a channel. */
export interface NewTask {
  platform: TaskPlatform;
  submission: Submission;
  requestId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** Of a channel with several keys; else 0. */
  channelKeyId: number;
  /** What an upstream's notices are known by; empty where it sends none. */
  notifySecret: string;
  /** False where its row is there, and another channel is tried now. */
  isFirst: boolean;
}

/** Keeps tasks for all processes of a database. Methods reject where it does not answer. */
export interface TaskRepository {
  /** Writes the row before a channel is tried; for the next channel the same row. */
  begin(task: NewTask): Promise<void>;
  /** The upstream took it: the row has its id before anything is charged for it. */
  accepted(requestId: string, code: number, event: TaskEvent): Promise<void>;
  /** Its charge is with the ledger. */
  charged(requestId: string, quota: number): Promise<void>;
  /** No upstream took it; `words` are those of the last one, or empty. */
  refused(requestId: string, code: number, words: string): Promise<void>;
  /** The newest tasks of a user with these ids; those of others are not there. */
  find(userId: number, platform: TaskPlatform, taskIds: readonly string[]): Promise<StoredTask[]>;
  /** A user's tasks of one platform, newest first, from behind the one with the id `after` on. */
  list(userId: number, platform: TaskPlatform, page: TaskPage): Promise<StoredTask[]>;
  /** The tasks of all users with this id, for a caller with another proof that one of them may be seen. */
  withId(platform: TaskPlatform, taskId: string): Promise<StoredTask[]>;
  /** Asks its upstream for its state at once. */
  wake(task: StoredTask): Promise<void>;
  /** An update that an upstream sends itself. False for a secret that belongs to no such task. */
  notified(platform: TaskPlatform, secret: string, event: TaskEvent): Promise<boolean>;
  /** Its owner does not want to see it any more. */
  remove(task: StoredTask): Promise<void>;
  /** Address of an image or a video, for which no key is needed; empty where there is none. */
  resultUrl(task: StoredTask): string;
  /** True for a picture's address that this site gave. */
  isSigned(task: StoredTask, sign: string): boolean;
}

export interface TaskPage {
  limit: number;
  /** Id of the row; 0 for the first page. */
  afterRow: number;
  isAscending: boolean;
}
