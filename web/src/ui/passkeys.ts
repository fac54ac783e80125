/** Passkeys in the browser (Web Authentication): turns the server's challenge into the authenticator's answer. */

/** Why a browser made or showed no key: the person or the browser gave up, has one here already, or may not here. */
export type PasskeyFailure = "given_up" | "known" | "place";

export class PasskeyError extends Error {
  readonly reason: PasskeyFailure;

  constructor(reason: PasskeyFailure, cause: unknown) {
    super(`passkey: ${reason}`, { cause });
    this.name = "PasskeyError";
    this.reason = reason;
  }
}

const REASONS: Readonly<Record<string, PasskeyFailure>> = {
  NotAllowedError: "given_up",
  AbortError: "given_up",
  InvalidStateError: "known",
  SecurityError: "place",
};

async function asked(credential: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const made = await credential;
    if (made instanceof PublicKeyCredential) return made;
    throw new DOMException("the browser gave no key", "NotAllowedError");
  } catch (error) {
    const reason = error instanceof DOMException ? REASONS[error.name] : undefined;
    throw reason === undefined ? error : new PasskeyError(reason, error);
  }
}

/** The only type there is; the browser's own types call it any text. */
const PUBLIC_KEY = "public-key" as const;

type Options = Readonly<Record<string, unknown>>;

/** Asks for a new key. @returns its JSON form. @throws PasskeyError */
export async function createPasskey(options: Options) {
  // The server wrote them in the form that this function reads.
  const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
  const made = await asked(navigator.credentials.create({ publicKey }));
  return { ...(made.toJSON() as RegistrationResponseJSON), type: PUBLIC_KEY };
}

/** Asks for a signature by a key that is there. @returns its JSON form. @throws PasskeyError */
export async function showPasskey(options: Options) {
  const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
  const shown = await asked(navigator.credentials.get({ publicKey }));
  return { ...(shown.toJSON() as AuthenticationResponseJSON), type: PUBLIC_KEY };
}
