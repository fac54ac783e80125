/** Passkeys (WebAuthn): registered by a signed-in user, used to sign in or to confirm. @simplewebauthn/server verifies the signatures. */
import { isIP } from "node:net";
import type { AuthenticatorTransport } from "@simplewebauthn/server";
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import { type Passkey, PASSKEY_LIMIT, PASSKEY_NAME_MAX } from "../../../../contract/src/features/factors.ts";
import type { CreatedCredential, PasskeyProof } from "../../../../contract/src/features/sessions.ts";
import { isUniqueViolation } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import { notifyUser } from "../../notify/notify-user.ts";
import { nowSeconds } from "../../util/clock.ts";
import { giveTicket, takeTicket } from "../accounts/one-time-codes.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { refuseLastWay } from "../identities/ways.ts";
import { refuseLastFactor } from "../required-action.ts";
import { requireOpenSession } from "../session-store.ts";
import {
  deletePasskeys,
  findPasskey,
  insertPasskey,
  noteUse,
  passkeysOf,
  type StoredPasskey,
  writeName,
} from "./passkey-store.ts";

interface RelyingParty {
  /** Host name without port. */
  id: string;
  /** Scheme, host and port. */
  origin: string;
  /** As people read it. */
  name: string;
}

/**
 * The page's own origin, where it is the host that was called. A caller may claim any host here: so it counts only for a key that is
 * made, or that was made before origins were kept. A browser shows a passkey only to the host it was made for, whatever the port.
 */
function ownOrigin({ origin, host }: RequestFacts): string {
  const page = URL.parse(origin);
  return page !== null && page.host === host.toLowerCase() ? page.origin : "";
}

/**
 * The address that passkeys are bound to: that of the option ServerAddress, else the one at which the browser itself has this page.
 * @param keyOrigin the origin at which a key was made; "" where that is to be found out.
 * @throws AppError passkey_place where the site is opened by a bare IP address, for which browsers have no passkeys, or from nowhere.
 */
function relyingParty(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  request: RequestFacts,
  keyOrigin = "",
): RelyingParty {
  const { ServerAddress, SystemName } = snapshot.options;
  const place = URL.parse(ServerAddress || keyOrigin || ownOrigin(request));
  if (place === null || place.hostname === "" || isIP(place.hostname.replaceAll(/[[\]]/g, "")) !== 0)
    throw new AppError("passkey_place");
  return { id: place.hostname, origin: place.origin, name: SystemName };
}

const challengePayload = z.object({
  /** The purpose of the challenge: an answer for another purpose or account is refused. */
  use: z.enum(["add", "login", "confirm"]),
  /** Owner; 0 at a login, where the account is not known yet. */
  userId: z.number(),
  challenge: z.string(),
});
type Challenge = z.output<typeof challengePayload>;

type ChallengeContext = Pick<ConsoleContext, "database" | "secrets" | "clock">;

const credentialHash = ({ secrets }: Pick<ConsoleContext, "secrets">, credentialId: string): string =>
  secrets.hash("passkey", `credential\0${credentialId}`);

/** The name under which an authenticator keeps the account: it reveals nothing, and other installations have others. */
const userHandle = ({ secrets }: Pick<ConsoleContext, "secrets">, userId: number): string =>
  secrets.hash("passkey", `user\0${userId}`);

/** Keeps a challenge. @returns its ticket. */
const keepChallenge = (context: ChallengeContext, challenge: Challenge): Promise<string> =>
  giveTicket(context, { purpose: "passkey", payload: challenge, now: nowSeconds(context.clock) });

/** Takes a challenge; it is gone afterwards. @throws AppError passkey_refused where it is over, used, or was for something else. */
async function takeChallenge(
  context: ChallengeContext,
  ticket: string,
  wanted: Omit<Challenge, "challenge">,
): Promise<string> {
  const kept = await takeTicket(context, { purpose: "passkey", ticket, now: nowSeconds(context.clock) }).catch(
    (error: unknown) => {
      if (error instanceof AppError) throw new AppError("passkey_refused", { cause: error });
      throw error;
    },
  );
  const { use, userId, challenge } = challengePayload.parse(kept);
  if (use !== wanted.use || userId !== wanted.userId) throw new AppError("passkey_refused");
  return challenge;
}

/** It takes a third of a second to load, and most installations start without a need for it. */
const webAuthn = () => import("@simplewebauthn/server");

const refused = (cause?: unknown): AppError =>
  new AppError("passkey_refused", { field: "credential", ...(cause === undefined ? {} : { cause }) });

/** The list of what a key may be reached over is whatever its maker says, and browsers pass over what they do not know. */
const transportsOf = (stored: string): AuthenticatorTransport[] =>
  stored === "" ? [] : (stored.split(",") as AuthenticatorTransport[]);

export const passkeyView = (row: StoredPasskey): Passkey => ({
  id: row.credential_hash,
  name: row.name,
  created_time: row.created_time,
  used_time: row.used_time,
  is_synced: row.is_backed_up === 1,
});

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "" || [...trimmed].length > PASSKEY_NAME_MAX)
    throw new AppError("passkey_name_invalid", { field: "name" });
  return trimmed;
}

/** EdDSA, ES256 and RS256 (COSE): between them every authenticator has one. Left open, each start would try what Node calls experimental. */
const ALGORITHMS = [-8, -7, -257];

const refuseFull = (count: number): void => {
  if (count >= PASSKEY_LIMIT) throw new AppError("passkey_limit");
};

/** The options by which the browser makes a key. @throws AppError passkey_limit, passkey_place. */
export async function newKeyChallenge(context: ConsoleContext, { user }: Session, request: RequestFacts) {
  const { id, name } = relyingParty(context, request);
  const keys = await passkeysOf(context.database.kysely, user.id);
  refuseFull(keys.length);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: new Uint8Array(Buffer.from(userHandle(context, user.id))),
    userName: user.username,
    userDisplayName: user.username,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: keys.map((key) => ({ id: key.credential_id, transports: transportsOf(key.transports) })),
    // Without the first there is nothing to choose from at the login, without the second it would be one factor and not two.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const ticket = await keepChallenge(context, { use: "add", userId: user.id, challenge: options.challenge });
  return { ticket, options: { ...options } };
}

async function verifyNew(
  context: ConsoleContext,
  { challenge, credential }: { challenge: string; credential: CreatedCredential },
  request: RequestFacts,
) {
  const { id, origin } = relyingParty(context, request);
  const { verifyRegistrationResponse } = await webAuthn();
  const { transports, ...response } = credential.response;
  const verified = await verifyRegistrationResponse({
    response: { ...credential, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    throw refused(error);
  });
  if (!verified.verified) throw refused();
  return { ...verified.registrationInfo, transports, origin };
}

/** Keeps a new key. @throws AppError passkey_refused, passkey_limit, passkey_name_invalid, passkey_place. */
export async function keepPasskey(
  context: ConsoleContext,
  session: Session,
  sent: { ticket: string; name: string; credential: CreatedCredential },
  request: RequestFacts,
): Promise<Passkey> {
  const { user, sessionId } = session;
  const name = checkName(sent.name);
  const challenge = await takeChallenge(context, sent.ticket, { use: "add", userId: user.id });
  const made = await verifyNew(context, { challenge, credential: sent.credential }, request);
  const row: StoredPasskey = {
    credential_hash: credentialHash(context, made.credential.id),
    credential_id: made.credential.id,
    user_id: user.id,
    name,
    public_key: Buffer.from(made.credential.publicKey).toString("base64url"),
    counter: made.credential.counter,
    transports: made.transports.join(",").slice(0, 128),
    is_backed_up: made.credentialBackedUp ? 1 : 0,
    created_time: nowSeconds(context.clock),
    used_time: 0,
    origin: made.origin,
  };
  await writePasskey(context, row, sessionId, request);
  return passkeyView(row);
}

async function writePasskey(
  context: ConsoleContext,
  row: StoredPasskey,
  sessionId: string | undefined,
  { ip }: RequestFacts,
): Promise<void> {
  const writing = context.database.kysely.transaction().execute(async (transaction) => {
    // Writers of users stand in one line, so that of many keys added at once none is the twenty-first.
    await bumpVersion(transaction, "users");
    await requireOpenSession(transaction, { userId: row.user_id, sessionId });
    refuseFull((await passkeysOf(transaction, row.user_id)).length);
    await insertPasskey(transaction, row);
    await notifyUser(context, transaction, {
      userId: row.user_id,
      notification: { code: "factor_added", values: { factor: "passkey", ip } },
    });
  });
  await writing.catch((error: unknown) => {
    throw isUniqueViolation(error) ? refused(error) : error;
  });
}

/** @throws AppError passkey_name_invalid, not_found. */
export async function renamePasskey(
  { database }: ConsoleContext,
  { user }: Session,
  { id, name }: { id: string; name: string },
): Promise<void> {
  if (!(await writeName(database.kysely, { userId: user.id, id, name: checkName(name) })))
    throw new AppError("not_found");
}

/** @throws AppError not_found, factor_demanded for the last factor where the site demands one, or identity_last where the account could not be entered any more. */
export async function removePasskey(
  context: ConsoleContext,
  { user }: Session,
  id: string,
  { ip }: RequestFacts,
): Promise<void> {
  await context.database.kysely.transaction().execute(async (transaction) => {
    // Taken first: ways into accounts are taken away one after the other.
    await bumpVersion(transaction, "users");
    if ((await deletePasskeys(transaction, user.id, id)) === 0) throw new AppError("not_found");
    await refuseLastFactor(transaction, user.id);
    await refuseLastWay(context, transaction, user.id, { passkey: id });
    const notification = { code: "factor_removed", values: { factor: "passkey", ip } } as const;
    await notifyUser(context, transaction, { userId: user.id, notification });
  });
}

/** A challenge for a key that is there already: of one account, or of any at a login. */
export async function knownKeyChallenge(context: ConsoleContext, session: Session | undefined, request: RequestFacts) {
  const { id } = relyingParty(context, request);
  const keys = session === undefined ? [] : await passkeysOf(context.database.kysely, session.user.id);
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: id,
    userVerification: "required",
    allowCredentials: keys.map((key) => ({ id: key.credential_id, transports: transportsOf(key.transports) })),
  });
  const use = session === undefined ? "login" : "confirm";
  const userId = session?.user.id ?? 0;
  const ticket = await keepChallenge(context, { use, userId, challenge: options.challenge });
  return { ticket, options: { ...options } };
}

/**
 * Checks a shown key and notes its use.
 * @param userId whose it has to be; 0 where it says whose it is.
 * @returns the id of the account it belongs to.
 * @throws AppError passkey_refused, passkey_place.
 */
export async function checkPasskey(
  context: ConsoleContext,
  { proof, userId }: { proof: PasskeyProof; userId: number },
  request: RequestFacts,
): Promise<number> {
  const { kysely } = context.database;
  const use = userId === 0 ? "login" : "confirm";
  const challenge = await takeChallenge(context, proof.ticket, { use, userId });
  const key = await findPasskey(kysely, credentialHash(context, proof.credential.id));
  if (key === undefined || (userId !== 0 && key.user_id !== userId)) throw refused();
  const handle = proof.credential.response.userHandle;
  const ownHandle = Buffer.from(userHandle(context, key.user_id)).toString("base64url");
  if (handle !== undefined && handle !== ownHandle) throw refused();
  const shown = await verifyShown(context, { key, proof, challenge }, request);
  const now = nowSeconds(context.clock);
  if (!(await noteUse(kysely, key, { ...shown, now }))) throw refused();
  return key.user_id;
}

/**
 * A key is shown at the one origin: that of ServerAddress, else the one it was made at. A page on another port of the same host can ask
 * for it too, since browsers bind keys to host names alone.
 * @returns the key's new counter, where it was shown. A counter that did not count on is refused, since a copy of the key may be about.
 */
async function verifyShown(
  context: ConsoleContext,
  { key, proof, challenge }: { key: StoredPasskey; proof: PasskeyProof; challenge: string },
  request: RequestFacts,
): Promise<{ counter: number; origin: string }> {
  const { id, origin } = relyingParty(context, request, key.origin);
  const { verifyAuthenticationResponse } = await webAuthn();
  const { userHandle: _handle, ...response } = proof.credential.response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...proof.credential, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: key.credential_id,
      publicKey: new Uint8Array(Buffer.from(key.public_key, "base64url")),
      counter: key.counter,
      transports: transportsOf(key.transports),
    },
  }).catch((error: unknown) => {
    throw refused(error);
  });
  if (!verified) throw refused();
  return { counter: authenticationInfo.newCounter, origin };
}
