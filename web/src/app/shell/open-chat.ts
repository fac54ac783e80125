/** Opens a chat application from the site's chat links, with this server's address and the key of the viewer's first usable token. */
import type { TFunction } from "i18next";
import { allowed, mayReceive, usableToken } from "../../features/chat/key-use.ts";
import { receiverOf, usableChatLink } from "../../lib/chat-links.ts";

/** Result: `noToken` where none is usable, `wrongLink` where the configured link is invalid, `kept` where the viewer declined. */
export type ChatOutcome = "opened" | "kept" | "noToken" | "wrongLink";

function show(link: string, opened: Window | null): void {
  const target = opened ?? window.open("about:blank", "_blank");
  if (target === null) {
    location.assign(link);
    return;
  }
  target.opener = null;
  target.location.replace(link);
}

/**
 * Opens the link in a new window, after a question where it carries a key. Throws where the tokens cannot be fetched.
 * A receiver that was allowed before gets its window before the token is fetched: later the browser would take it for a pop-up.
 * Where a question is asked its button opens the window.
 */
export async function openChat(template: string, t: TFunction<"shell">): Promise<ChatOutcome> {
  const receiver = receiverOf(usableChatLink(template, "") ?? "");
  if (receiver === "") return "wrongLink";
  if (!template.includes("{key}")) {
    show(usableChatLink(template, "") ?? "", null);
    return "opened";
  }
  const isKnown = allowed().some((allowance) => allowance.startsWith(`${receiver} `));
  const early = isKnown ? window.open("about:blank", "_blank") : null;
  const outcome = await openWithKey(template, receiver, early, t).catch((error: unknown) => {
    early?.close();
    throw error;
  });
  if (outcome !== "opened") early?.close();
  return outcome;
}

async function openWithKey(
  template: string,
  receiver: string,
  early: Window | null,
  t: TFunction<"shell">,
): Promise<ChatOutcome> {
  const token = await usableToken();
  if (token === undefined) return "noToken";
  if (!(await mayReceive(receiver, token, t))) return "kept";
  const link = usableChatLink(template, token.key);
  if (link === undefined) return "wrongLink";
  show(link, early);
  return "opened";
}
