/** What the addresses of the entry pages may say: why one came here, where to go on, who invited, and what a mail's link carries. */
import { oneOf, searchReader, text } from "../../lib/search.ts";

export const loginSearch = searchReader({ expired: oneOf("true"), registered: oneOf("true"), next: text, aff: text });
export const registerSearch = searchReader({ next: text, aff: text });
export const newPasswordSearch = searchReader({ email: text, token: text });
