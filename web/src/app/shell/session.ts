/** Ends the session on the server and in the browser. */
import { logout } from "../../../../contract/src/features/sessions.ts";
import { call, leaveBy } from "../../lib/api.ts";
import { setViewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/** Logs out and goes to the login page. Where the server cannot be reached, the session still exists, so the user stays logged in and is told. */
export async function logOut(): Promise<void> {
  try {
    await leaveBy(() => call(logout, {}).then(() => undefined));
  } catch (error) {
    toast.error(error);
    return;
  }
  setViewer(null);
  location.assign("/login");
}
