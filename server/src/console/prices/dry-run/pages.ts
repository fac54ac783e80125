/** Reads the charges of a time range in pages, along the ledger's index by kind and time, in SQL that all three engines accept. */
import type { ChargeRow } from "./rerun.ts";

export interface Range {
  /** Unix seconds of the calls' beginnings, both included. */
  from: number;
  to: number;
  /** Charges posted later are not of this run. */
  lastId: number;
}

/** Where the last page ended. */
type Place = Pick<ChargeRow, "created_at" | "user_id" | "id">;

/** The page behind a place. Every value is a number of ours, so that it can stand in the text. */
export function pageStatement({ from, to, lastId }: Range, place: Place | undefined, rows: number): string {
  const after = place === undefined ? "" : ` AND ${behind(place)}`;
  return `SELECT id, created_at, user_id, model, group_name, used_delta, detail FROM ledger
    WHERE kind = 'charge' AND created_at >= ${whole(place?.created_at ?? from)} AND created_at <= ${whole(to)}
    AND id <= ${whole(lastId)}${after} ORDER BY created_at, user_id, id LIMIT ${whole(rows)}`;
}

/** Written out: MySQL finds no range in a comparison of rows. */
const behind = ({ created_at: time, user_id: user, id }: Place): string =>
  `(created_at > ${whole(time)} OR user_id > ${whole(user)} OR (user_id = ${whole(user)} AND id > ${whole(id)}))`;

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`no whole number: ${value}`);
  return String(value);
}

/** Some engines give large numbers as text. */
export const placeOf = ({ created_at, user_id, id }: ChargeRow): Place => ({
  created_at: Number(created_at),
  user_id: Number(user_id),
  id: Number(id),
});
