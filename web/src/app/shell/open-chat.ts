/** Opens a chat application from the site's chat links, with this server's address and the viewer's first usable token. */
import { listTokens, TOKEN_STATUS } from "../../../../contract/src/features/tokens.ts";
import { call } from "../../lib/api.ts";
import { fillChatLink } from "../../lib/chat-links.ts";

/** Most tokens looked through for a usable one (the list's largest page). */
const LOOKED_THROUGH = 100;

async function usableKey(): Promise<string | undefined> {
  const tokens = await call(listTokens, { query: { p: 0, size: LOOKED_THROUGH } });
  return tokens.find((token) => token.status === TOKEN_STATUS.enabled)?.key;
}

/**
 * Opens the link in a new window. False where there is no usable token.
 * The window is opened before the token is fetched: later the browser would take it for a pop-up.
 */
export async function openChat(template: string): Promise<boolean> {
  const opened = window.open("about:blank", "_blank");
  try {
    const key = template.includes("{key}") ? await usableKey() : "";
    if (key === undefined) {
      opened?.close();
      return false;
    }
    const address = fillChatLink(template, key);
    if (opened === null) location.assign(address);
    else {
      opened.opener = null;
      opened.location.replace(address);
    }
    return true;
  } catch (error) {
    opened?.close();
    throw error;
  }
}
