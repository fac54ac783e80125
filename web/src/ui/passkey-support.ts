/** Whether passkeys can be used here, known before the code that uses them is loaded (passkeys.ts). */

/** Why not; browsers bind passkeys to a host name, so that there are none at a bare IP address, and have none without https. */
export function passkeyObstacle(): "unsupported" | "nameless" | "insecure" | undefined {
  if (/^[\d.]+$|^\[/.test(location.hostname)) return "nameless";
  if (!isSecureContext) return "insecure";
  const isKnown = typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
  return isKnown ? undefined : "unsupported";
}

/** Whether this browser can: it knows passkeys and their JSON forms, and the page is where it allows them. */
export const arePasskeysSupported = (): boolean => passkeyObstacle() === undefined;
