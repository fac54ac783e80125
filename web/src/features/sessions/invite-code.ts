/** The invite code of a link with ?aff=, kept until somebody registers, by whichever way. */
import { useEffect } from "react";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";

/** Keeps the code that the address has. */
export function useInviteCode(code: string | undefined): void {
  useEffect(() => {
    if (code) writeStored(STORAGE.inviteCode, code);
  }, [code]);
}

/** The code that was kept; "" none. */
export const inviteCode = (): string => readStored(STORAGE.inviteCode) ?? "";

/** Forgets it: who it invited is there. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);
