/** DeepSeek's balance by currency (api-docs.deepseek.com/api/get-user-balance): the first one with money in it, else the first. */
import { amountIn, type BalanceOf, bearerGet, objectIn, unreadableBalance } from "../balance.ts";

export const balance: BalanceOf = async (ask, channel) => {
  const root = { ...channel, baseUrl: channel.baseUrl.replace(/\/beta\/*$/, "") };
  const { balance_infos: infos } = await ask(bearerGet(root, "/user/balance"));
  const told = (Array.isArray(infos) ? infos : []).map((info: unknown) => {
    const { currency, total_balance: total } = objectIn(info);
    return { amount: amountIn(total), currency: String(currency) };
  });
  const found = told.find(({ amount }) => Number(amount) > 0) ?? told[0];
  if (found === undefined) throw unreadableBalance();
  return found;
};
