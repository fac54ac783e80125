/** Holds in batches: one conditional update for each row and batch, or, where the sum does not reach, one for each hold in its order. */
import type { HoldRequest } from "../billing.ts";

export interface PendingHold {
  request: HoldRequest;
  amount: number;
}

export type HoldAnswer = "held" | "user_quota" | "token_quota";

export interface HoldRow {
  id: string;
  userId: number;
  /** 0 where the token's quota was not touched. */
  tokenId: number;
  amount: number;
}

/** The statements of one transaction, as an engine says them. The first two answer whether the row had so much left. */
export interface HoldSession {
  takeFromToken(id: number, amount: number): Promise<boolean>;
  takeFromUser(id: number, amount: number): Promise<boolean>;
  releaseToToken(id: number, amount: number): Promise<unknown>;
  insert(rows: readonly HoldRow[]): Promise<unknown>;
}

interface Step {
  take: (id: number, amount: number) => Promise<boolean>;
  keyOf: (request: HoldRequest) => number;
  refusal: HoldAnswer;
}

/** The token whose quota a hold takes from; 0 where none does. */
export const limitedToken = (request: HoldRequest): number => (request.isTokenLimited ? request.tokenId : 0);
const ascending = <Value>(groups: ReadonlyMap<number, Value>): [number, Value][] =>
  [...groups].sort(([a], [b]) => a - b);

/** Gives the places in `items` of the holds that one row could not take. */
async function takeFromRow(step: Step, id: number, group: number[], items: readonly PendingHold[]): Promise<number[]> {
  const amountOf = (index: number): number => items[index]?.amount ?? 0;
  if (
    await step.take(
      id,
      group.reduce((sum, index) => sum + amountOf(index), 0),
    )
  )
    return [];
  if (group.length === 1) return group;
  const short: number[] = [];
  // As much as was refused once, or more, is refused without a question: everybody's holds wait for this batch.
  let leastRefused = Infinity;
  for (const index of group) {
    const amount = amountOf(index);
    if (amount < leastRefused && (await step.take(id, amount))) continue;
    leastRefused = Math.min(leastRefused, amount);
    short.push(index);
  }
  return short;
}

/** Row by row in ascending order, so that batches of two processes never wait for each other in a circle. */
async function take(step: Step, items: readonly PendingHold[], answers: HoldAnswer[]): Promise<void> {
  const groups = new Map<number, number[]>();
  items.forEach(({ request }, index) => {
    const id = step.keyOf(request);
    if (id === 0 || answers[index] !== "held") return;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [index]);
    else group.push(index);
  });
  for (const [id, group] of ascending(groups)) {
    for (const index of await takeFromRow(step, id, group, items)) answers[index] = step.refusal;
  }
}

/** Gives tokens back what they lost to holds that their users could not pay. */
async function releaseTokens(
  session: HoldSession,
  items: readonly PendingHold[],
  answers: readonly HoldAnswer[],
): Promise<void> {
  const sums = new Map<number, number>();
  items.forEach(({ request, amount }, index) => {
    const id = limitedToken(request);
    if (id !== 0 && answers[index] === "user_quota") sums.set(id, (sums.get(id) ?? 0) + amount);
  });
  for (const [id, amount] of ascending(sums)) await session.releaseToToken(id, amount);
}

/** Makes the holds of one batch inside the session's transaction: tokens first, then users, as settlements do. */
export async function holdBatch(session: HoldSession, items: readonly PendingHold[]): Promise<HoldAnswer[]> {
  const answers: HoldAnswer[] = items.map(() => "held");
  const takeToken = (id: number, amount: number): Promise<boolean> => session.takeFromToken(id, amount);
  const takeUser = (id: number, amount: number): Promise<boolean> => session.takeFromUser(id, amount);
  await take({ take: takeToken, keyOf: limitedToken, refusal: "token_quota" }, items, answers);
  await take({ take: takeUser, keyOf: (request) => request.userId, refusal: "user_quota" }, items, answers);
  await releaseTokens(session, items, answers);
  const rows = items
    .filter((_, index) => answers[index] === "held")
    .map(({ request, amount }) => ({
      id: request.requestId,
      userId: request.userId,
      tokenId: limitedToken(request),
      amount,
    }));
  if (rows.length > 0) await session.insert(rows);
  return answers;
}
