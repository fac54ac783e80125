/** A custom channel's balance: in OpenAI's form, at the root that its whole URL has before `/v1`, or at its host. */
import { type BalanceOf, openaiStyleBalance } from "../balance.ts";

const ROOT = /^https?:\/\/[^/?#]+(?:[^{}?#]*?(?=\/v1(?:[/?#]|$)))?/;

export const balance: BalanceOf = (ask, channel, nowMs) =>
  openaiStyleBalance(ask, { ...channel, baseUrl: ROOT.exec(channel.baseUrl)?.[0] ?? channel.baseUrl }, nowMs);
