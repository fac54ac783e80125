/** A payment that was begun, and the way to the provider's page; the card for new orders and the list of orders use both. */
import { LEAVE_PAGE } from "../../../../contract/src/payments/leave-page.ts";

/** The server's answer to a payment that begins. */
export interface BegunPayment {
  /** "" where a code is scanned instead. */
  url: string;
  /** Posted to `url` as a form; none where the browser simply goes there. */
  fields: Readonly<Record<string, string>>;
  order_id: number;
  /** Text of a QR code; "" where there is none. */
  qr_code: string;
}

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
