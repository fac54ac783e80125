/** What the address of the playground may ask for: a conversation, the model and group of a new one, and that the login has ended. */
import { oneOf, searchReader, type SearchField, text } from "../../lib/search.ts";

/** Letters and digits, as the page itself makes them. */
const conversationId: SearchField<string> = (value) => (/^\w{1,40}$/.test(value) ? value : undefined);

export const playgroundSearch = searchReader({ id: conversationId, model: text, group: text, expired: oneOf("true") });
