/** The button that signs in with a passkey, where the browser has them. */
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { call } from "../../lib/api.ts";
import { arePasskeysSupported } from "../../ui/passkey-support.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { PlainButton } from "../../ui/plain.tsx";
import type { LoginAnswer } from "./enter.ts";

interface PasskeyLoginProps {
  onLogin: (answer: LoginAnswer) => Promise<void>;
  /** The error as a sentence; "" when a new try begins. */
  onRefusal: (text: string) => void;
  /** It takes the focus: nothing else stands there to be used. */
  autoFocus?: boolean;
}

/** Shows a key of this site to the server. @returns the login's answer, or undefined where the person gave up. */
async function logInByPasskey(): Promise<LoginAnswer | undefined> {
  const { passkeyLogin, passkeyLoginChallenge } = await import("../../../../contract/src/features/factors.ts");
  const { PasskeyError, showPasskey } = await import("../../ui/passkeys.ts");
  const { ticket, options } = await call(passkeyLoginChallenge, {});
  try {
    return await call(passkeyLogin, { body: { ticket, credential: await showPasskey(options) } });
  } catch (error) {
    if (error instanceof PasskeyError && error.reason === "given_up") return undefined;
    throw error;
  }
}

export function PasskeyLogin({ onLogin, onRefusal, autoFocus = false }: PasskeyLoginProps) {
  const { t } = useTranslation("sessions");
  const [isBusy, setIsBusy] = useState(false);
  if (!arePasskeysSupported()) return null;
  const logIn = async () => {
    setIsBusy(true);
    onRefusal("");
    try {
      const answer = await logInByPasskey();
      if (answer !== undefined) await onLogin(answer);
    } catch (error) {
      const isPlace = error instanceof Error && error.name === "PasskeyError";
      onRefusal(isPlace ? t("passkey.place") : describeError(error).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <PlainButton isLarge isBusy={isBusy} autoFocus={autoFocus} onClick={() => void logIn()}>
      {!isBusy && <IconKey size={16} stroke={1.5} aria-hidden />}
      {t("passkey.logIn")}
    </PlainButton>
  );
}
