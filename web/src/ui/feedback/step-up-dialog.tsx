/** Asks the user to confirm their identity by password, authenticator code or passkey (error code step_up_required). */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { confirmChallenge, ownFactors } from "../../../../contract/src/features/factors.ts";
import { confirmPassword } from "../../../../contract/src/features/sessions.ts";
import { call } from "../../lib/api.ts";
import { BusyButton } from "../busy-button.tsx";
import { arePasskeysSupported } from "../passkey-support.ts";
import { PasskeyError, showPasskey } from "../passkeys.ts";
import { describeError } from "./describe-error.ts";
import { Dialog } from "./dialog.tsx";
import styles from "./dialog.module.css";
import { Notice } from "./notice.tsx";

const LAYER = 410;

type Method = "password" | "code" | "passkey";

async function readMethods(signal: AbortSignal): Promise<Method[]> {
  const { has_password, totp_time, passkeys } = await call(ownFactors, { signal });
  const methods: Method[] = [];
  if (has_password) methods.push("password");
  if (totp_time > 0) methods.push("code");
  if (passkeys.length > 0 && arePasskeysSupported()) methods.push("passkey");
  return methods;
}

/** Methods by which the account can confirm; undefined until it is known. */
function useMethods(): readonly Method[] | undefined {
  const [methods, setMethods] = useState<readonly Method[]>();
  useEffect(() => {
    const asking = new AbortController();
    // Where it cannot be asked, the server still says of a password whether it is right.
    readMethods(asking.signal).then(setMethods, () => !asking.signal.aborted && setMethods(["password"]));
    return () => asking.abort();
  }, []);
  return methods;
}

async function sendProof(method: Method, typed: string): Promise<void> {
  if (method === "password") await call(confirmPassword, { body: { password: typed } });
  else if (method === "code") await call(confirmPassword, { body: { code: typed.trim() } });
  else {
    const { ticket, options } = await call(confirmChallenge, {});
    await call(confirmPassword, { body: { passkey: { ticket, credential: await showPasskey(options) } } });
  }
}

interface StepUpDialogProps {
  /** The confirmation holds: do again what was refused. */
  onConfirmed: () => void;
  onClose: () => void;
}

/** Sends what confirms; gives the sentence of a refusal. */
function useProof(onConfirmed: () => void) {
  const { t } = useTranslation(["ui", "step-up"]);
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const send = async (method: Method, typed: string) => {
    setIsSending(true);
    setError(undefined);
    try {
      await sendProof(method, typed);
      onConfirmed();
    } catch (refusal) {
      if (!(refusal instanceof PasskeyError)) setError(describeError(refusal).message);
      else if (refusal.reason === "place") setError(t("step-up:place"));
    } finally {
      setIsSending(false);
    }
  };
  return { error, setError, isSending, send };
}

function TypedProof({
  method,
  value,
  error,
  onChange,
}: {
  method: "password" | "code";
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation(["ui", "step-up"]);
  const field = {
    "data-autofocus": true,
    autoFocus: true,
    className: styles.field ?? "",
    error,
    value,
    onChange: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  if (method === "code")
    return <TextInput {...field} label={t("step-up:code")} autoComplete="one-time-code" inputMode="numeric" />;
  return (
    <PasswordInput
      {...field}
      label={t("step-up:password")}
      autoComplete="current-password"
      visibilityToggleButtonProps={{ "aria-label": t("step-up:show") }}
    />
  );
}

function Proof({ methods, onConfirmed, onClose }: StepUpDialogProps & { methods: readonly Method[] }) {
  const { t } = useTranslation(["ui", "step-up"]);
  const [method, setMethod] = useState<Method>(methods[0] ?? "password");
  const [typed, setTyped] = useState("");
  const { error, setError, isSending, send } = useProof(onConfirmed);
  const isTyped = method !== "passkey";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog may be rendered inside another form.
    event.stopPropagation();
    if (!isSending && (!isTyped || typed !== "")) void send(method, typed);
  };
  const change = (next: Method) => {
    setMethod(next);
    setTyped("");
    setError(undefined);
  };
  return (
    <form onSubmit={submit} noValidate>
      {isTyped && (
        <TypedProof
          key={method}
          method={method}
          value={typed}
          error={error}
          onChange={(value) => {
            setTyped(value);
            setError(undefined);
          }}
        />
      )}
      {!isTyped && error && <Notice tone="red">{error}</Notice>}
      <div className={styles.others}>
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <button key={other} type="button" className={styles.other} onClick={() => change(other)}>
              {t(`step-up:by.${other}`)}
            </button>
          ))}
      </div>
      <div className={styles.actions}>
        <Button onClick={onClose}>{t("cancel")}</Button>
        <BusyButton
          type="submit"
          variant="filled"
          isBusy={isSending}
          disabled={isTyped && typed === ""}
          data-autofocus={!isTyped}
        >
          {isTyped ? t("step-up:confirm") : t("step-up:passkey")}
        </BusyButton>
      </div>
    </form>
  );
}

export function StepUpDialog(props: StepUpDialogProps) {
  const { t } = useTranslation(["ui", "step-up"]);
  const methods = useMethods();
  const hasNone = methods?.length === 0;
  return (
    <Dialog isOpen onClose={props.onClose} title={t("step-up:title")} layer={LAYER} hasOwnToasts>
      <p className={styles.text}>{hasNone ? t("step-up:none") : t("step-up:text")}</p>
      {methods === undefined && <div className={styles.waiting} aria-busy />}
      {hasNone && (
        <div className={styles.actions}>
          <Button data-autofocus onClick={props.onClose}>
            {t("close")}
          </Button>
        </div>
      )}
      {methods !== undefined && !hasNone && <Proof {...props} methods={methods} />}
    </Dialog>
  );
}
