/** The line of one call; each step is a file of its name. */
import { accept } from "./accept.ts";
import { admit } from "./admit.ts";
import { answerHere, isAnsweredHere } from "./answer-here.ts";
import { authenticate } from "./authenticate.ts";
import { type Exchange, known } from "./exchange.ts";
import { tryChannels } from "./failover.ts";
import { begin, conclude, refuse, startWaiting } from "./frame.ts";
import { hasKey, recall } from "./idempotency.ts";
import { takeGroup } from "./playground.ts";
import { settle } from "./settle.ts";

/** Accept, authenticate, admit, then route, translate, send and reply for each channel tried, settle, record. */
export async function runCall(exchange: Exchange): Promise<void> {
  const end = begin(exchange);
  try {
    const accepted = accept(exchange);
    // The head is enough to turn strangers away: their bodies are not waited for.
    accepted.catch(() => undefined);
    const entering = authenticate(exchange);
    if (entering !== undefined) await entering;
    await accepted;
    if (exchange.asked.isPlayground === true) takeGroup(exchange);
    if (hasKey(exchange) && (await recall(exchange))) return conclude(exchange);
    await admit(exchange);
    startWaiting(exchange);
    if (isAnsweredHere(exchange)) {
      await answerHere(exchange);
      return conclude(exchange);
    }
    await tryChannels(exchange);
    const usage = await settle(exchange);
    known(exchange.answer, "answer").complete(usage);
    conclude(exchange);
  } catch (error) {
    await refuse(exchange, error);
  } finally {
    end();
  }
}
