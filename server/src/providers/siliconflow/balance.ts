/** SiliconFlow's balance, gifts among it: yuan, and dollars abroad (docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info). */
import { amountIn, type BalanceOf, bearerGet, currencyAbroad, objectIn, refusedBalance } from "../balance.ts";

/** What stands in `code` of an answer that is none of its failures. */
const OK = 20_000;

export const balance: BalanceOf = async (ask, channel) => {
  const { code, message, data } = await ask(bearerGet(channel, "/v1/user/info"));
  if (code !== OK) throw refusedBalance(message);
  return {
    amount: amountIn(objectIn(data)["totalBalance"]),
    currency: currencyAbroad(channel.baseUrl, ".siliconflow.com"),
  };
};
