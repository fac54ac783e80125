/** OpenAI's billing answers sessions of its own site alone; gateways under the same type tell keys their limit and usage in its form. */
import { type BalanceOf, openaiStyleBalance } from "../balance.ts";

export const balance: BalanceOf = openaiStyleBalance;
