/** What the address of the login page may say: why one came here, where to go on, and who invited. */
import { oneOf, searchReader, text } from "../../lib/search.ts";

export const loginSearch = searchReader({ expired: oneOf("true"), next: text, aff: text });
