/** An internal failure, before the code that catches it maps it to the caller's error (`CallerError` in errors.ts). */

/** Each part of the system throws its own subclass. Code that catches a fault distinguishes the kinds; the message is for the log. */
export class Fault<Kind extends string> extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.kind = kind;
  }
}
