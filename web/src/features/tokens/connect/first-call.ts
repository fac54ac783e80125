/** Finds the first call of a program with a token in the newest rows of its log. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import type { Program } from "../../../../../contract/src/connect/program.ts";
import { isCallOf } from "../../../../../contract/src/connect/programs.ts";
import type { UserLog } from "../../../../../contract/src/features/logs.ts";

export type FirstCall =
  | { state: "waiting" }
  /** Calls came, but none of this program; `client` is "" where it is unknown. */
  | { state: "other"; client: string }
  | { state: "seen" | "failed"; row: UserLog };

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Path and program of a row's call; blank where its receipt does not say. */
function seenOf({ other }: UserLog): { endpoint: string; client: string } {
  try {
    const receipt = JSON.parse(other) as Readonly<Record<string, unknown>> | null;
    return { endpoint: textOf(receipt?.["endpoint"]), client: textOf(receipt?.["client"]) };
  } catch {
    return { endpoint: "", client: "" };
  }
}

interface Watched {
  /** The newest row when the page was opened; 0 for none. */
  sinceId: number;
  /** Calls that this page made itself. */
  ownIds: ReadonlySet<string>;
}

/**
 * A program with a `user-agent` of its own is known from earlier calls too; of one that has none, only calls count that came since the page was
 * opened, since nothing else distinguishes them from another's.
 * @param rows the newest calls of the token, the newest first
 */
export function firstCallOf(program: Program, rows: readonly UserLog[], { sinceId, ownIds }: Watched): FirstCall {
  const calls = rows.filter(({ request_id }) => !ownIds.has(request_id));
  const mine = calls.filter(
    (row) => (program.userAgent !== undefined || row.id > sinceId) && isCallOf(program, seenOf(row)),
  );
  const answered = mine.find(({ type }) => type === LOG_TYPE.consumption);
  const [latest] = mine;
  if (answered !== undefined) return { state: "seen", row: answered };
  if (latest !== undefined) return { state: "failed", row: latest };
  const other = calls.find(({ id }) => id > sinceId);
  return other === undefined ? { state: "waiting" } : { state: "other", client: seenOf(other).client };
}
