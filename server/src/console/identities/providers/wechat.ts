/** WeChat sign-in: the operator's own server (its address and token are options) exchanges a code that users receive by message for their openid. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { askJson, type Json, textOf } from "./http.ts";
import type { Profile, ProviderContext } from "./provider.ts";

/** Shorter than for other sites: guesses stand in line behind each other's answers. */
const LIMITS = { bytes: 16 * 1024, timeoutMs: 5_000 } as const;

/** The answer of the operator's server to a code. Throws what `askJson` throws. */
export function askWechatServer(context: ProviderContext, code: string): Promise<Json> {
  const { WeChatServerAddress, WeChatServerToken } = context.snapshot.options;
  const url = `${WeChatServerAddress}/api/wechat/user?code=${encodeURIComponent(code.trim())}`;
  const headers = { accept: "application/json", authorization: WeChatServerToken };
  return askJson(context, { method: "GET", url, headers, limits: LIMITS });
}

/**
 * Asks whose code it is; undefined where it is unknown, or the server refuses to say: else a refusal with a status of its own would
 * be a guess that is not counted.
 * @throws AppError identity_unreachable.
 */
export async function wechatProfile(context: ProviderContext, code: string): Promise<Profile | undefined> {
  const answer = await askWechatServer(context, code).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "identity_failed") throw error;
    context.logger.warn({ err: error }, "the WeChat server refused a code without an answer in JSON");
    return undefined;
  });
  const subject = answer?.["success"] === true ? textOf(answer["data"]) : "";
  return subject === "" ? undefined : { subject, login: "", displayName: "", email: undefined };
}
