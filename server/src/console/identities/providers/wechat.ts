/** WeChat: a server of the operator's (its address and token are options) turns a code that people get by message into their openid. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { askJson, textOf } from "./http.ts";
import type { Profile, ProviderContext } from "./provider.ts";

/** @throws AppError identity_code_wrong, or identity_unreachable. */
export async function wechatProfile(context: ProviderContext, code: string): Promise<Profile> {
  const { WeChatServerAddress, WeChatServerToken } = context.snapshot.options;
  const wanted = code.trim();
  if (wanted === "") throw new AppError("identity_code_wrong", { field: "code" });
  const answer = await askJson(context, {
    method: "GET",
    url: `${WeChatServerAddress}/api/wechat/user?code=${encodeURIComponent(wanted)}`,
    headers: { accept: "application/json", authorization: WeChatServerToken },
  });
  const subject = answer["success"] === true ? textOf(answer["data"]) : "";
  if (subject === "") throw new AppError("identity_code_wrong", { field: "code" });
  return { subject, login: "", displayName: "", email: undefined };
}
