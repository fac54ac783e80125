/** The key that a chat application gets: that of the viewer's first usable token, once the viewer allows it for this site. */
import { type TFunction } from "../../lib/i18n.ts";
import { listTokens, TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { call } from "../../lib/api.ts";
import { visible } from "../../lib/names.ts";
import { readStoredJson, STORAGE, writeStoredJson } from "../../lib/storage.ts";
import { confirm } from "../../ui/feedback/confirm.ts";

/** How many tokens are searched for a usable one (the list's largest page). */
const LOOKED_THROUGH = 100;

/** How long the message stays before the page leads to the tokens. */
export const REDIRECT_MS = 1500;

export async function usableToken(): Promise<TokenRow | undefined> {
  const { items } = await call(listTokens, { query: { size: LOOKED_THROUGH } });
  // Of one that came from another gateway the key may not be known yet.
  return items.find(({ status, key }) => status === TOKEN_STATUS.enabled && key !== "");
}

/** Keys of the permissions that were given: a site and a token each. */
export function allowed(): string[] {
  const stored = readStoredJson(STORAGE.chatKeysAllowed);
  return Array.isArray(stored) ? stored.filter((entry) => typeof entry === "string") : [];
}

/** Key of a permission: one site and one token. Another token or another site is asked about again. */
const allowanceOf = (receiver: string, token: TokenRow): string => `${receiver} ${token.id}`;

/** True where the viewer allows this receiver to get the key of this token, now or by an earlier answer. */
export async function mayReceive(receiver: string, token: TokenRow, t: TFunction): Promise<boolean> {
  const allowance = allowanceOf(receiver, token);
  if (allowed().includes(allowance)) return true;
  return confirm({
    title: t("chat.receives", { receiver, token: visible(token.name) }),
    text: t("chat.receivesHint"),
    action: t("chat.confirm"),
    tone: "plain",
    remember: {
      label: t("chat.remember"),
      keep: () => writeStoredJson(STORAGE.chatKeysAllowed, [...allowed(), allowance]),
    },
  });
}
