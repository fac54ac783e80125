/** Notices by a Gotify server (https://gotify.net/api-docs#/message/createMessage): the token of an application in a header, a priority from 0 to 10. */
import { postJson, type WayDefinition } from "./way.ts";

export const gotify: WayDefinition<"gotify"> = {
  request: ({ title, text }, { gotify_url: url, gotify_token: token, gotify_priority: priority }) =>
    postJson(`${url.replace(/\/+$/, "")}/message`, { title, message: text, priority }, { "x-gotify-key": token }),
  // Errors come with their status.
  refusal: () => undefined,
};
