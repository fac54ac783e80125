/** Which row of the security log a refusal, or an act of scripts, is added to: bounded for each account and each causer, so that no flood hides what is tried at others. */
import { ABOUT_ACCOUNTS } from "../../../contract/src/security-events.ts";
import type { SecurityEventTable } from "../db/user-tables.ts";

type Row = Omit<SecurityEventTable, "id">;
type Refusal = Omit<Row, "event_key">;

export const HOUR_SECONDS = 3_600;
/** Rows about one account in an hour; what is more is one row a kind, without networks. */
export const ROWS_OF_ONE = 50;
/** Rows that one caller or one network of strangers causes in an hour; what is more is one row a kind, without reasons. */
export const REASONS_OF_ONE = 20;
/** Rows of strangers that one process keeps apart in an hour; the others are added up by kind alone. */
export const REFUSALS_APART = 500;
/** The same of what known accounts cause, and about accounts: a guess at one takes the time of a password check. */
const CAUSED_APART = 5_000;
const ABOUT_APART = 20_000;

/** So many rows at most have their place in the room of this name. */
type Room = readonly [name: string, most: number];

interface Place {
  key: string;
  row: Refusal;
  rooms: readonly Room[];
}

const MANY = { actor_id: 0, network: "", way: "", reason: "many" } as const;

/** From the most exact on; the last one has no bound, for there are as many as kinds. */
function placesOf(row: Refusal): Place[] {
  const { kind, user_id, actor_id, network, way, reason } = row;
  const causer = actor_id || user_id;
  const key = `${kind} ${user_id} ${actor_id} ${network} ${way} ${reason}`;
  const last = { key: `${kind} many`, row: { ...row, ...MANY, user_id: 0 }, rooms: [] };
  if (user_id !== 0 && ABOUT_ACCOUNTS.has(kind)) {
    const rooms: Room[] = [["about", ABOUT_APART]];
    const ofAccount = { key: `${kind} ${user_id} many`, row: { ...row, ...MANY }, rooms };
    return [{ key, row, rooms: [...rooms, [`about ${user_id}`, ROWS_OF_ONE]] }, ofAccount, last];
  }
  // Of a stranger the network is all that is known.
  const from = causer === 0 ? network : "";
  const rooms: Room[] = [causer === 0 ? ["strangers", REFUSALS_APART] : ["callers", CAUSED_APART]];
  const ofCauser = {
    key: `${kind} ${causer} ${from} many`,
    row: { ...row, ...MANY, user_id: causer, network: from },
    rooms,
  };
  return [{ key, row, rooms: [...rooms, [`caused ${causer} ${from}`, REASONS_OF_ONE]] }, ofCauser, last];
}

/** The refusals of this hour that are kept apart, each with how often it came. */
export class RefusalRows {
  #hour = 0;
  readonly #counts = new Map<string, number>();
  readonly #taken = new Map<string, number>();

  /** Counts it; gives the key and row it is added to. */
  add(refusal: Refusal): { row: Row; count: number } {
    const hour = refusal.created_time - (refusal.created_time % HOUR_SECONDS);
    if (hour !== this.#hour) {
      this.#counts.clear();
      this.#taken.clear();
    }
    this.#hour = hour;
    const places = placesOf(refusal);
    const place = places.find((asked) => this.#hasRoom(asked)) ?? { key: refusal.kind, row: refusal, rooms: [] };
    if (!this.#counts.has(place.key))
      for (const [name] of place.rooms) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    const count = (this.#counts.get(place.key) ?? 0) + 1;
    this.#counts.set(place.key, count);
    return { row: { ...place.row, event_key: `${hour} ${place.key}`.slice(0, 255) }, count };
  }

  #hasRoom({ key, rooms }: Place): boolean {
    return this.#counts.has(key) || rooms.every(([name, most]) => (this.#taken.get(name) ?? 0) < most);
  }
}
