/** HTTP handlers of second factors, passkeys and the own sessions. */
import { defineHandlers } from "../http/handlers.ts";
import { endOtherSessions, endOwnSession, listOwnSessions } from "./own-sessions.ts";
import { keepPasskey, knownKeyChallenge, newKeyChallenge, removePasskey, renamePasskey } from "./passkeys.ts";
import { beginTotp, confirmTotp, disableTotp, readFactors, removeFactorsOf, renewRecoveryCodes } from "./service.ts";
import { finishLogin, logInWithPasskey } from "./second-step.ts";

export const factorsHandlers = defineHandlers("factors", {
  ownFactors: async ({ context, session }) => ({ data: await readFactors(context, session) }),
  beginTotp: async ({ context, session }) => ({ data: await beginTotp(context, session) }),
  confirmTotp: async ({ context, session, body, request }) => ({
    data: { recovery_codes: await confirmTotp(context, session, body.code, request) },
  }),
  async disableTotp({ context, session, request }) {
    await disableTotp(context, session, request);
    return {};
  },
  renewRecoveryCodes: async ({ context, session, request }) => ({
    data: { recovery_codes: await renewRecoveryCodes(context, session, request) },
  }),
  secondStep: ({ context, body, request }) => finishLogin(context, body, request),
  beginPasskey: async ({ context, session, request }) => ({ data: await newKeyChallenge(context, session, request) }),
  addPasskey: async ({ context, session, body, request }) => ({
    data: await keepPasskey(context, session, body, request),
  }),
  async renamePasskey({ context, session, params, body }) {
    await renamePasskey(context, session, { id: params.id, name: body.name });
    return {};
  },
  async removePasskey({ context, session, params, request }) {
    await removePasskey(context, session, params.id, request);
    return {};
  },
  passkeyLoginChallenge: async ({ context, request }) => ({
    data: await knownKeyChallenge(context, undefined, request),
  }),
  passkeyLogin: ({ context, body, request }) => logInWithPasskey(context, body, request),
  confirmChallenge: async ({ context, session, request }) => ({
    data: await knownKeyChallenge(context, session, request),
  }),
  ownSessions: async ({ context, session }) => ({ data: await listOwnSessions(context, session) }),
  async endOwnSession({ context, session, params }) {
    await endOwnSession(context, session, params.id);
    return {};
  },
  endOtherSessions: async ({ context, session }) => ({ data: { ended: await endOtherSessions(context, session) } }),
  removeFactorsOf: async ({ context, session, params, request }) => ({
    data: await removeFactorsOf(context, session, params.id, request),
  }),
});
