/** The question before a key goes to another program or site: it names the receiver. */
import { loadTexts, translate } from "../../lib/i18n.ts";
import { confirm } from "../../ui/feedback/confirm.ts";

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
