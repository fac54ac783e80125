/** What plain users ask of their own rows, however many there are: a few questions at once, on connections and for a time that hold up nobody else. */
import type { ConsoleContext } from "./http/handlers.ts";
import { UserTurns } from "./http/user-turns.ts";

/** Of one user the list, its sums and its filters are asked for together; a second window waits. */
const turns = new UserTurns({ atOnce: 2, waiting: 30, inAll: 500 });

/** A context whose database is the one for questions. */
export const forQuestions = (context: ConsoleContext): ConsoleContext => ({
  ...context,
  database: context.database.questions,
});

/** Does `work` in the user's turn. Throws AppError 429 where too many wait, SlowQuestion where it takes too long. */
export const askOwn = <T>(
  context: ConsoleContext,
  userId: number,
  work: (context: ConsoleContext) => Promise<T>,
): Promise<T> => turns.run(userId, () => work(forQuestions(context)));
