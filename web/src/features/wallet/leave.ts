/** Redirects to the site of a payment provider. */
import { LEAVE_PAGE } from "../../../../contract/src/payments/leave-page.ts";

/** Where the page finds the form, in the storage of the tab, which no other site can write to; web/public/leave.js reads it. */
const FORM_KEY = "payment_form";

/**
 * Posts `fields` there as a form; without fields the browser simply goes there. The form is posted by a page of its own: browsers hold every
 * redirect behind a form to the policy of its page, and gateways redirect to payment pages that cannot be listed beforehand.
 * Throws where the browser refuses storage.
 */
export function leaveFor(url: string, fields: Readonly<Record<string, string>>): void {
  if (Object.keys(fields).length === 0) return location.assign(url);
  sessionStorage.setItem(FORM_KEY, JSON.stringify({ url, fields }));
  location.assign(LEAVE_PAGE);
}
