/** Begins to show the console as to another user, once the administrator has agreed and confirmed their identity. */
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { seeAs } from "../../../../contract/src/people.ts";
import { call } from "../../lib/api.ts";
import { loadTexts, translate } from "../../lib/i18n.ts";
import { apart } from "../../lib/names.ts";
import { readStoredJson, STORAGE } from "../../lib/storage.ts";
import { setViewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

/** Leads to the console's first page as the person sees it. Does nothing where the question or the confirmation was given up; never throws. */
export async function seeAsPerson({ id, username }: ManagedUser): Promise<void> {
  await loadTexts("users.see");
  const name = apart(username);
  const text = (key: string): string => translate(`users.see:${key}`, { name });
  if (!(await confirm({ title: text("title"), text: text("text"), action: text("action"), tone: "plain" }))) return;
  try {
    const view = await withStepUp(() => call(seeAs, { params: { id } }));
    if (view === undefined) return;
    // The page that comes next reads it; this one still is the administrator's.
    setViewer({ ...view.user, seen: { until: view.until, by: readStoredJson(STORAGE.user) } });
    location.assign("/detail");
  } catch (error) {
    toast.error(error, text("failed"));
  }
}
