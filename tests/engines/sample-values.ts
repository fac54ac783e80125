/** Values and the type of the sample rows of columns.ts. */
import type { Insertable } from "kysely";

export const sealed = { key_hash: "h".repeat(43), key_cipher: "v1.0.abc", key_first: "abcdef", key_last: "wxyz" };

/** The largest whole number a balance may have, and text that breaks careless quoting and narrow character sets. */
export const BIG = Number.MAX_SAFE_INTEGER;
export const TEXT = `O'Reilly "x" \\ % _ ! 额度 🚀 \n é`;

/** Each column with a number of its own. */
export const filled = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;

export type Sample<T> = Required<T extends { id: { __select__: number } } ? Omit<Insertable<T>, "id"> : Insertable<T>>;
