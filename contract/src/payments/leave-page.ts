/** The page by which the wallet leaves for a gateway that wants a form: the wallet goes there, and the server gives it a policy of its own. */

/** A file of web/public. */
export const LEAVE_PAGE = "/leave.html";
