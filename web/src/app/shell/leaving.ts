/** Asks a user who logs out about their data in this browser, chats and what the studio made at once, and removes it where they wish. */
import { loadTexts, translate } from "../../lib/i18n.ts";
import { confirm } from "../../ui/feedback/confirm.ts";

/** How many chats of a user this browser stores; 0 where there are none or they cannot be read, which must not block logging out. */
const chatsOf = (userId: number): Promise<number> =>
  import("../../features/playground/store/database.ts").then((part) => part.countConversations(userId)).catch(() => 0);

/** The same of what its studio keeps. */
const keptOf = (userId: number): Promise<number> =>
  import("../../features/tasks/studio/kept.ts").then((part) => part.countKept(userId)).catch(() => 0);

/** Removes the chats of a user, and what their studio keeps, from this browser. */
export async function removeOf(userId: number): Promise<void> {
  await (await import("../../features/playground/store/conversations.ts")).removeConversationsOf(userId);
  await (await import("../../features/tasks/studio/kept.ts")).removeKeptOf(userId);
}

/** The kept data, as text. */
const textOf = (chats: number, kept: number): string =>
  [
    chats === 0 ? "" : translate("shell:leaving.text", { count: chats }),
    kept === 0 ? "" : translate("tasks.studio:leaving.studio", { count: kept }),
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");

/** Asks whether chats stay in this browser. Undefined where the person stays logged in. */
export async function askAboutChats(userId: number): Promise<"keep" | "remove" | undefined> {
  const [chats, kept] = await Promise.all([chatsOf(userId), keptOf(userId)]);
  if (chats + kept === 0) return "keep";
  if (kept > 0) await loadTexts("tasks.studio");
  let isTicked = false;
  const isSure = await confirm({
    title: translate("shell:leaving.title"),
    text: textOf(chats, kept),
    action: translate("shell:logOut"),
    tone: "plain",
    remember: {
      label: translate(kept === 0 ? "shell:leaving.remove" : "tasks.studio:leaving.removeAll"),
      keep: () => (isTicked = true),
    },
  });
  if (!isSure) return undefined;
  return isTicked ? "remove" : "keep";
}
