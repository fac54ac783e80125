/** Streams that encrypt and decrypt a backup by a passphrase: frames of AES-256-GCM, so that a changed, shortened or reordered file is refused. */
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";

const FRAME_BYTES = 65_536;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
export const SALT_BYTES = 16;

/** RFC 7914; 64 MB and about a fifth of a second. */
const SCRYPT = { N: 65_536, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } as const;

/** The key of one file: each file has its own salt, so frames may count their nonces from 0. */
export const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase.normalize("NFC"), salt, 32, SCRYPT);

function nonceOf(frame: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(frame), 4);
  return nonce;
}

/** What each frame vouches for beside its content: the head of the file, and whether it is the last one. */
const contextOf = (head: string, isLast: boolean): Buffer => Buffer.from(`${isLast ? "last" : "more"} ${head}`);

function seal(key: Buffer, frame: number, context: Buffer, content: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonceOf(frame));
  cipher.setAAD(context);
  const body = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Encrypts what is written to it. @param head the first line of the file, which is vouched for too */
export function sealing(key: Buffer, head: string): Transform {
  let waiting: Buffer = Buffer.alloc(0);
  let frame = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      waiting = Buffer.concat([waiting, chunk]);
      // One byte more than a frame: the last frame is the one that `flush` writes.
      while (waiting.length > FRAME_BYTES) {
        this.push(seal(key, frame, contextOf(head, false), waiting.subarray(0, FRAME_BYTES)));
        waiting = waiting.subarray(FRAME_BYTES);
        frame += 1;
      }
      done();
    },
    flush(done: TransformCallback) {
      this.push(seal(key, frame, contextOf(head, true), waiting));
      done();
    },
  });
}

export const WRONG_PASSPHRASE = "The passphrase is not that of this backup, or the file was changed";

function unseal(key: Buffer, frame: number, context: Buffer, body: Buffer): Buffer {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(frame), { authTagLength: TAG_BYTES });
    decipher.setAAD(context);
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new Error(WRONG_PASSPHRASE, { cause: error });
  }
}

/** Decrypts what `sealing` wrote. Fails with an Error of one line for another passphrase and for any change of the file. */
export function unsealing(key: Buffer, head: string): Transform {
  let waiting: Buffer = Buffer.alloc(0);
  let frame = 0;
  /** Undefined while the frame is not there as a whole, or may be the last one. */
  const takeFrame = (isEnd: boolean): Buffer | undefined => {
    if (waiting.length < LENGTH_BYTES) return undefined;
    const end = LENGTH_BYTES + waiting.readUInt32BE(0);
    if (end > LENGTH_BYTES + FRAME_BYTES + TAG_BYTES || end < LENGTH_BYTES + TAG_BYTES)
      throw new Error(WRONG_PASSPHRASE);
    const isLast = isEnd && waiting.length === end;
    if (waiting.length < end || (waiting.length === end && !isEnd)) return undefined;
    const content = unseal(key, frame, contextOf(head, isLast), waiting.subarray(LENGTH_BYTES, end));
    waiting = waiting.subarray(end);
    frame += 1;
    return content;
  };
  const pass = (stream: Transform, isEnd: boolean, done: TransformCallback): void => {
    try {
      for (let content = takeFrame(isEnd); content !== undefined; content = takeFrame(isEnd)) stream.push(content);
      done(isEnd && (waiting.length > 0 || frame === 0) ? new Error(WRONG_PASSPHRASE) : null);
    } catch (error) {
      done(error instanceof Error ? error : new Error(WRONG_PASSPHRASE));
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting = Buffer.concat([waiting, chunk]);
      pass(this, false, done);
    },
    flush(done) {
      pass(this, true, done);
    },
  });
}
