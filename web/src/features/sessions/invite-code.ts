/** The invite code of a link with ?aff=, kept until the visitor registers, by whichever way. */
import { useEffect } from "react";
import { STORAGE, writeStored } from "../../lib/storage.ts";

/** Keeps the code that the address has. */
export function useInviteCode(code: string | undefined): void {
  useEffect(() => {
    if (code) writeStored(STORAGE.inviteCode, code);
  }, [code]);
}

/** Forgets it: who it invited is there. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);
