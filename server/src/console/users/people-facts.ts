/** Extra columns of the user list: when users were last active, and whether a second factor protects them. */
import type { Queries } from "../../db/portable.ts";

export interface PeopleFacts {
  /** Unix seconds by user id; missing for those who never were. */
  lastActive: ReadonlyMap<number, number>;
  /** Ids of those with a confirmed authenticator app or a passkey. */
  withFactor: ReadonlySet<number>;
}

interface Moment {
  user_id: number;
  time: number | null;
}

/** The latest of several lists of times by user. */
function latest(...lists: readonly (readonly Moment[])[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const { user_id, time } of lists.flat())
    if (Number(time) > (times.get(user_id) ?? 0)) times.set(user_id, Number(time));
  return times;
}

/** Reads the facts of these users, in five queries whatever their number. */
export async function peopleFacts(queries: Queries, ids: readonly number[]): Promise<PeopleFacts> {
  if (ids.length === 0) return { lastActive: new Map(), withFactor: new Set() };
  const wanted = [...new Set(ids)];
  const [sessions, tokens, accessTokens, apps, passkeys] = await Promise.all([
    queries
      .selectFrom("sessions")
      .select(({ fn }) => ["user_id", fn.max<number | null>("seen_time").as("time")])
      .where("user_id", "in", wanted)
      .groupBy("user_id")
      .execute(),
    queries
      .selectFrom("tokens")
      .select(({ fn }) => ["user_id", fn.max<number | null>("accessed_time").as("time")])
      .where("user_id", "in", wanted)
      .groupBy("user_id")
      .execute(),
    queries
      .selectFrom("personal_access_tokens")
      .select(({ fn }) => ["user_id", fn.max<number | null>("used_time").as("time")])
      .where("user_id", "in", wanted)
      .groupBy("user_id")
      .execute(),
    queries
      .selectFrom("totp_factors")
      .select("user_id")
      .where("user_id", "in", wanted)
      .where("confirmed_time", ">", 0)
      .execute(),
    queries.selectFrom("passkeys").select("user_id").where("user_id", "in", wanted).groupBy("user_id").execute(),
  ]);
  return {
    lastActive: latest(sessions, tokens, accessTokens),
    withFactor: new Set([...apps, ...passkeys].map(({ user_id }) => user_id)),
  };
}
