/** Switches the console's language, and with it that of the messages to the logged-in user. */
import { type Language, setLanguage } from "../../lib/i18n.ts";
import { status } from "../../lib/status.ts";
import { viewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/** The page follows at once; a message says that the server did not save it, since mails would come in the other language. */
export async function chooseLanguage(code: Language): Promise<void> {
  await setLanguage(code);
  // A demo site keeps nothing.
  if (viewer() === null || status().demo_site_enabled) return;
  try {
    // The schemas behind the endpoint are no part of the first load.
    const [{ updateSetting }, { call }] = await Promise.all([
      import("../../../../contract/src/features/personal.ts"),
      import("../../lib/api.ts"),
    ]);
    await call(updateSetting, { body: { language: code } });
  } catch (error) {
    toast.error(error);
  }
}
