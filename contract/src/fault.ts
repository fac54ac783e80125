/** What goes wrong inside a part of the system, before anybody decides what a caller is told of it (`CallerError` in errors.ts). */

/** Each part throws faults of a class of its own, with the few kinds that those who catch it decide on; the message is for the log. */
export class Fault<Kind extends string> extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.kind = kind;
  }
}
