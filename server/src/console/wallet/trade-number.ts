/** Our own number of an order: 32 letters and digits, which every gateway takes, and which cannot be guessed. */
import { randomBytes } from "node:crypto";

/** Without letters that are taken for digits. 32 of them, so that five bits are one letter. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_LETTERS = 16;

const randomLetters = (): string =>
  Array.from(randomBytes(RANDOM_LETTERS), (byte) => LETTERS[byte % LETTERS.length]).join("");

/** `TP`, the second in UTC, and 80 random bits. @param now Unix milliseconds */
export const newTradeNumber = (now: number): string =>
  `TP${new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, "")}${randomLetters()}`;
