/** Notices by a webhook of the account: the JSON form that receivers of this API family know, with a bearer token where one was entered. */
import { postJson, type WayDefinition } from "./way.ts";

export const webhook: WayDefinition<"webhook"> = {
  request: ({ webhook: body }, { webhook_url: url, webhook_secret: secret }) =>
    postJson(url, body, secret === "" ? {} : { authorization: `Bearer ${secret}` }),
  // Whatever it writes: its status is its answer.
  refusal: () => undefined,
};
