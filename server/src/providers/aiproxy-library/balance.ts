/** What is left at AI Proxy, in points of its own (fixtures/source.txt): its accounts are at another address than its knowledge bases. */
import { amountIn, type BalanceOf, objectIn, refusedBalance } from "../balance.ts";
import { manifest } from "./manifest.ts";

const ACCOUNTS = "https://aiproxy.io";

export const balance: BalanceOf = async (ask, { baseUrl, key }) => {
  const base = baseUrl.replace(/\/+$/, "");
  const { success, message, data } = await ask({
    method: "GET",
    url: `${base === manifest.defaultBaseUrl ? ACCOUNTS : base}/api/report/getUserOverview`,
    headers: ["api-key", key],
  });
  if (success !== true) throw refusedBalance(message);
  return { amount: amountIn(objectIn(data)["totalPoints"]), currency: "points" };
};
