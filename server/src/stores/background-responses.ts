/** Responses that are made in the background, and their events: sealed in the database, so that every process answers for them; of each user the newest. */
import type { Database } from "../db/database.ts";
import { insertOrIgnore } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";
import type {
  BackgroundResponse,
  BackgroundResponses,
  BackgroundStatus,
  FoundBackground,
  KeptEvents,
} from "../relay/call/ports.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";

/** Newest responses kept of one user, and their stored characters together; the oldest go first. */
const RESPONSES_PER_USER = 500;
const BYTES_PER_USER = 128 * 1_048_576;

interface BackgroundResponseOptions {
  database: Database;
  secrets: Pick<Secrets, "encrypt" | "decrypt">;
  /** Unix milliseconds. */
  clock: Clock;
  /** Of this process, as the ledger's table of processes has it. */
  processId: string;
  /** RESPONSES_PER_USER where absent. */
  perUser?: number;
}

export const responseContext = (id: string): string => `background_responses ${id}`;
export const eventsContext = (id: string, lastSequence: number): string => `background_events ${id} ${lastSequence}`;

const UNDER_WAY: readonly BackgroundStatus[] = ["queued", "in_progress"];
/** Frames have no blank line inside, and one at their end. */
const FRAME_END = "\n\n";

class Store implements BackgroundResponses {
  readonly #options: BackgroundResponseOptions;

  constructor(options: BackgroundResponseOptions) {
    this.#options = options;
  }

  get #kysely() {
    return this.#options.database.kysely;
  }

  async begin({ id, userId, model, isStreamed, status, response, upstreamId }: BackgroundResponse): Promise<void> {
    const { clock, processId, secrets } = this.#options;
    const sealed = secrets.encrypt(response, responseContext(id));
    const row = {
      id,
      user_id: userId,
      process_id: processId,
      model,
      status,
      is_streamed: isStreamed ? 1 : 0,
      is_cancel_asked: 0,
      response: sealed,
      bytes: sealed.length,
      upstream_id: upstreamId,
      created_time: nowSeconds(clock),
    } as const;
    await this.#kysely.insertInto("background_responses").values(row).execute();
    await this.#keepBound(userId);
  }

  /** Deletes a user's oldest beyond the bound; those under way stay. */
  async #keepBound(userId: number): Promise<void> {
    const { perUser = RESPONSES_PER_USER } = this.#options;
    const rows = await this.#kysely
      .selectFrom("background_responses")
      .select(["id", "bytes"])
      .where("user_id", "=", userId)
      .where("status", "not in", UNDER_WAY)
      .orderBy("created_time", "desc")
      .limit(2 * perUser)
      .execute();
    let bytes = 0;
    const beyond = rows.filter((row, index) => (bytes += Number(row.bytes)) > BYTES_PER_USER || index >= perUser);
    for (const { id } of beyond) await this.remove(id);
  }

  async change(
    id: string,
    { status, response, upstreamId }: Partial<Pick<BackgroundResponse, "status" | "response" | "upstreamId">>,
  ): Promise<void> {
    const sealed = response === undefined ? undefined : this.#options.secrets.encrypt(response, responseContext(id));
    await this.#kysely
      .updateTable("background_responses")
      .set({
        ...(status === undefined ? {} : { status }),
        ...(sealed === undefined ? {} : { response: sealed }),
        ...(upstreamId === undefined ? {} : { upstream_id: upstreamId }),
      })
      .$if(sealed !== undefined, (query) => query.set((row) => ({ bytes: row("bytes", "+", sealed?.length ?? 0) })))
      .where("id", "=", id)
      .execute();
  }

  async addEvents(id: string, { lastSequence, frames }: KeptEvents): Promise<void> {
    const { database, clock, secrets } = this.#options;
    const events = secrets.encrypt(frames.join(""), eventsContext(id, lastSequence));
    const row = { response_id: id, last_sequence: lastSequence, events, created_time: nowSeconds(clock) };
    await this.#kysely.transaction().execute(async (transaction) => {
      // A commit whose answer was lost is tried again.
      if (!(await insertOrIgnore(database, transaction, "background_events", row))) return;
      await transaction
        .updateTable("background_responses")
        .set((columns) => ({ bytes: columns("bytes", "+", events.length) }))
        .where("id", "=", id)
        .execute();
    });
  }

  async eventsAfter(id: string, sequence: number): Promise<KeptEvents | undefined> {
    const row = await this.#kysely
      .selectFrom("background_events")
      .select(["last_sequence", "events"])
      .where("response_id", "=", id)
      .where("last_sequence", ">", sequence)
      .orderBy("last_sequence")
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const lastSequence = Number(row.last_sequence);
    const text = this.#options.secrets.decrypt(row.events, eventsContext(id, lastSequence));
    const frames = text.split(FRAME_END).slice(0, -1);
    return { lastSequence, frames: frames.slice(sequence - lastSequence).map((frame) => frame + FRAME_END) };
  }

  async find(id: string): Promise<FoundBackground | undefined> {
    const row = await this.#kysely
      .selectFrom("background_responses")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { user_id: userId, model, upstream_id: upstreamId } = row;
    const status = row.status as BackgroundStatus;
    const response = this.#options.secrets.decrypt(row.response, responseContext(id));
    const maker = UNDER_WAY.includes(status) ? await this.#makerOf(row.process_id) : "gone";
    return {
      id,
      userId: Number(userId),
      model,
      isStreamed: row.is_streamed === 1,
      status,
      response,
      upstreamId,
      maker,
    };
  }

  /** What the ledger's table of processes says; SQLite has exactly one process. */
  async #makerOf(process: string): Promise<FoundBackground["maker"]> {
    const { database, processId } = this.#options;
    if (process === processId) return "this";
    if (database.engine === "sqlite") return "gone";
    const row = await this.#kysely.selectFrom("processes").select("id").where("id", "=", process).executeTakeFirst();
    return row === undefined ? "gone" : "another";
  }

  async askToCancel(id: string): Promise<void> {
    await this.#kysely
      .updateTable("background_responses")
      .set({ is_cancel_asked: 1 })
      .where("id", "=", id)
      .where("status", "in", UNDER_WAY)
      .execute();
  }

  async askedToCancel(): Promise<readonly string[]> {
    // No other process could have been asked.
    if (this.#options.database.engine === "sqlite") return [];
    const rows = await this.#kysely
      .selectFrom("background_responses")
      .select("id")
      .where("process_id", "=", this.#options.processId)
      .where("is_cancel_asked", "=", 1)
      .where("status", "in", UNDER_WAY)
      .execute();
    return rows.map(({ id }) => id);
  }

  async remove(id: string): Promise<void> {
    await this.#kysely.deleteFrom("background_events").where("response_id", "=", id).execute();
    await this.#kysely.deleteFrom("background_responses").where("id", "=", id).execute();
  }
}

/** The store on a migrated database. */
export const backgroundResponses = (options: BackgroundResponseOptions): BackgroundResponses => new Store(options);
