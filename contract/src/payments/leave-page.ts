/** The file name of the page from which the wallet submits a payment form to a gateway; the server sends that page with a Content-Security-Policy of its own. */

/** A file of web/public. */
export const LEAVE_PAGE = "/leave.html";
