/** Moonshot's balance, vouchers among it: yuan, and dollars abroad (platform.moonshot.cn/docs/api/balance). */
import { amountIn, type BalanceOf, bearerGet, currencyAbroad, objectIn } from "../balance.ts";

export const balance: BalanceOf = async (ask, channel) => ({
  amount: amountIn(objectIn((await ask(bearerGet(channel, "/v1/users/me/balance")))["data"])["available_balance"]),
  currency: currencyAbroad(channel.baseUrl, ".moonshot.ai"),
});
