/** Ends the session on the server and in the browser. */
import { logout } from "../../../../contract/src/features/sessions.ts";
import { call, leaveBy } from "../../lib/api.ts";
import { i18n } from "../../lib/i18n.ts";
import { setViewer, viewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/** How many chats of a user this browser stores; 0 where there are none or they cannot be read, which must not block logging out. */
const chatsOf = (userId: number): Promise<number> =>
  import("../../features/playground/store/database.ts").then((part) => part.countConversations(userId)).catch(() => 0);

/** Asks whether chats stay in this browser. Undefined where the person stays logged in. */
async function askAboutChats(userId: number): Promise<"keep" | "remove" | undefined> {
  const count = await chatsOf(userId);
  if (count === 0) return "keep";
  let isTicked = false;
  const isSure = await confirm({
    title: i18n.t("shell:leaving.title"),
    text: i18n.t("shell:leaving.text", { count }),
    action: i18n.t("shell:logOut"),
    tone: "plain",
    remember: { label: i18n.t("shell:leaving.remove"), keep: () => (isTicked = true) },
  });
  if (!isSure) return undefined;
  return isTicked ? "remove" : "keep";
}

/** Logs out and goes to the login page. Where the server cannot be reached, the session still exists, so the user stays logged in and sees a message. */
export async function logOut(): Promise<void> {
  const userId = viewer()?.id ?? 0;
  const chats = await askAboutChats(userId);
  if (chats === undefined) return;
  try {
    if (chats === "remove")
      await (await import("../../features/playground/store/conversations.ts")).removeConversationsOf(userId);
    await leaveBy(() => call(logout, {}).then(() => undefined));
  } catch (error) {
    toast.error(error);
    return;
  }
  setViewer(null);
  location.assign("/login");
}
