/** What each engine's books can do; open-billing.ts makes the one Billing out of it. */
import type { HoldRequest, Movement } from "./billing.ts";
import type { Booking } from "./booking.ts";

export interface Books {
  /** True where open holds are rows, which have to be deleted when they end. */
  readonly storesHolds: boolean;
  /** Sets quota aside, for a new hold or on top of an open one; of 0 only where memory has to know the account. Throws HoldRefused. */
  reserve(request: HoldRequest, amount: number): Promise<void> | void;
  /** Books all or nothing, durably; says for each booking whether its ledger row is new (true where it has none). */
  book(bookings: readonly Booking[]): Promise<readonly boolean[]>;
  /** True where an error of `book` is the data's fault, so that trying again would never help. */
  isDataError(error: unknown): boolean;
  /** Balance less open holds. */
  available(userId: number): Promise<number>;
  /** Told when a booking is sure to be booked, before it is: memory may count it at once. */
  expect(booking: Booking): void;
  /** Told when an expected charge had been booked before, or never will be. */
  forget(booking: Booking): void;
  /** Runs a movement's transaction; memory may have to stand still meanwhile. */
  move(movement: Movement, transaction: () => Promise<boolean>): Promise<boolean>;
}

/** The part of the server's log that billing writes to. */
export interface BooksLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
