/** What the relay needs of a store for idempotency keys; the one in the database is handed in by app.ts. */

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
