/** OpenRouter's credits, which management keys may read; what is left of its own limit tells another key (openrouter.ai/docs/api/api-reference). */
import { amountIn, type BalanceOf, BalanceFault, bearerGet, less, objectIn } from "../balance.ts";

export const balance: BalanceOf = async (ask, channel) => {
  try {
    const { total_credits: bought, total_usage: used } = objectIn(
      (await ask(bearerGet(channel, "/v1/credits")))["data"],
    );
    return { amount: less(amountIn(bought), amountIn(used)), currency: "USD" };
  } catch (refusal) {
    if (!(refusal instanceof BalanceFault) || refusal.status !== 403) throw refusal;
    const { limit_remaining: left } = objectIn((await ask(bearerGet(channel, "/v1/key")))["data"]);
    // A key without a limit knows nothing of the account.
    if (left === null || left === undefined) throw refusal;
    return { amount: amountIn(left), currency: "USD" };
  }
};
