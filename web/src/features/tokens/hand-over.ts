/** The question before a key is sent to another program or site, which names the receiver; and the site's chat links, which are opened after it. */
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import {
  carriesKey,
  isForFluentRead,
  receiverOfTemplate,
  sendToFluentRead,
  usableChatLink,
} from "../../lib/chat-links.ts";
import { loadTexts, type TFunction, translate } from "../../lib/i18n.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/**
 * Resolves true only where the person said so.
 * @param receiver a host, or the scheme of a program on this machine
 * @param token the name of the token whose key is handed over
 */
export async function askToHandOver(receiver: string, token: string): Promise<boolean> {
  await loadTexts("connect");
  return confirm({
    title: translate("connect:link.askTitle", { receiver }),
    text: translate("connect:link.ask", { receiver, token }),
    action: translate("connect:link.go"),
    keep: translate("connect:link.keep"),
    tone: "plain",
  });
}

/** Opens a chat application with this token in a new window, once the person has read to whom the key goes. */
export async function openChatWith(template: string, token: TokenRow, t: TFunction): Promise<void> {
  const receiver = receiverOfTemplate(template);
  if (receiver !== "" && carriesKey(template) && !(await askToHandOver(receiver, token.name))) return;
  if (isForFluentRead(template)) {
    if (!sendToFluentRead(token.key, document)) toast.error(new Error(t("tokens:chat.noExtension")));
    return;
  }
  const link = usableChatLink(template, token.key);
  if (link === undefined) {
    toast.error(new Error(t("tokens:chat.wrong")));
    return;
  }
  window.open(link, "_blank", "noopener");
}
