/** The own account over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { createLoginBackoff } from "../sessions/backoff.ts";
import type { LoginBackoff } from "../sessions/backoff.ts";
import { createAccessToken, readSelf, updateSelf, updateSetting } from "./service.ts";

/** Guessing the old password is slowed like guessing at the login; one backoff for each running server. */
const backoffs = new WeakMap<ConsoleContext, LoginBackoff>();

function backoffOf(context: ConsoleContext): LoginBackoff {
  const known = backoffs.get(context) ?? createLoginBackoff(context.clock);
  backoffs.set(context, known);
  return known;
}

const newAccessToken = async ({ context, session }: { context: ConsoleContext; session: Session }) => ({
  data: await createAccessToken(context, session.user.id),
});

export const personalHandlers = defineHandlers("personal", {
  getSelf: async ({ context, session }) => ({ data: await readSelf(context, session.user.id) }),
  async updateSelf({ context, session, body, request }) {
    await updateSelf(context, { session, ip: request.ip }, body, backoffOf(context));
    return {};
  },
  ownModels({ context, session }) {
    const usable = [...context.snapshot.usableGroups(session.user.groupName).keys()];
    return { data: [...context.snapshot.modelsFor(usable)] };
  },
  createAccessTokenByGet: newAccessToken,
  createAccessToken: newAccessToken,
  async updateSetting({ context, session, body }) {
    await updateSetting(context, session.user.id, body);
    return {};
  },
});
