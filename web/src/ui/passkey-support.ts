/** Whether the browser has passkeys, known before the code that uses them is loaded (passkeys.ts). */

/** Whether this browser can: it knows passkeys and their JSON forms, and the page is where it allows them. */
export const arePasskeysSupported = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
