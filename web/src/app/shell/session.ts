/** Ends the session on the server and in the browser. */
import { logout } from "../../../../contract/src/features/sessions.ts";
import { call, leaveBy } from "../../lib/api.ts";
import { beginLogout, setViewer, viewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/**
 * Logs out and goes to the login page, once the person has said whether what this browser keeps of them stays. Where the server cannot be
 * reached, the session still exists, so the user stays logged in and sees a message.
 */
export async function logOut(): Promise<void> {
  const userId = viewer()?.id ?? 0;
  // A part that cannot be loaded must not block logging out: what this browser keeps stays then.
  const leaving = await import("./leaving.ts").catch(() => null);
  const kept = leaving === null ? "keep" : await leaving.askAboutChats(userId);
  if (kept === undefined) return;
  let takeBack = (): void => undefined;
  try {
    if (kept === "remove") await leaving?.removeOf(userId);
    takeBack = beginLogout();
    await leaveBy(() => call(logout, {}).then(() => undefined));
  } catch (error) {
    takeBack();
    toast.error(error);
    return;
  }
  setViewer(null);
  location.assign("/login");
}
