/** The routes of the playground and of shared chats: the address (a conversation, the model and group of a new one, that the login has ended), texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, type SearchField, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Letters and digits, as the page itself makes them. */
const conversationId: SearchField<string> = (value) => (/^\w{1,40}$/.test(value) ? value : undefined);

export const playgroundSearch = searchReader({ id: conversationId, model: text, group: text, expired: oneOf("true") });

/** A chat that was shared, for everybody who has its address. */
export const chatShareRoute = {
  path: "/share/$id",
  loader: () => loadTexts("playground"),
  component: lazyPage(() => import("./share-page.tsx"), "ChatSharePage"),
} as const;

export const playgroundRoute = {
  path: "/playground",
  validateSearch: playgroundSearch,
  loader: () => loadTexts("playground"),
  component: lazyPage(() => import("./page.tsx"), "PlaygroundPage"),
} as const;
