/** Binds an e-mail address: a code is sent there and typed here. */
import { TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { bindEmail, sendOwnEmailCode } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import styles from "./email-dialog.module.css";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { type Account, useRefreshAccount } from "../queries.ts";
import { sameNames, useForm } from "../../../ui/form/use-form.ts";

/** As long as the server waits before it sends another. */
const RESEND_SECONDS = 30;

/** Seconds that are left, and how to begin anew. */
function useCountdown(): [number, () => void] {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return [left, () => setLeft(RESEND_SECONDS)];
}

interface Typed {
  email: string;
  code: string;
}

/** Typed values, refusals, and both acts: sending a code to the address, and binding it. */
function useBinding(onDone: () => void) {
  const { t } = useTranslation("personal");
  const [isSending, setIsSending] = useState(false);
  const [left, begin] = useCountdown();
  const checkEmail = ({ email }: Typed) => (email.trim() === "" ? { email: t("email.addressMissing") } : {});
  const checkCode = ({ code }: Typed) => (code.trim() === "" ? { verification_code: t("email.codeMissing") } : {});
  const form = useForm<Typed, "email" | "verification_code">({
    start: () => ({ email: "", code: "" }),
    check: (typed) => ({ ...checkEmail(typed), ...checkCode(typed) }),
    refusedField: sameNames(["email", "verification_code"]),
    onChange: "clear-all",
  });
  const refresh = useRefreshAccount();
  const send = async (): Promise<void> => {
    setIsSending(true);
    const isDone = await form.submit(({ email }) => call(sendOwnEmailCode, { body: { email } }), {
      check: checkEmail,
    });
    setIsSending(false);
    if (!isDone) return;
    begin();
    toast.success(t("email.sent"), t("email.sentText"));
  };
  const submit = async (): Promise<boolean> => {
    if (!(await form.submitConfirmed((body) => call(bindEmail, { body })))) return false;
    await refresh();
    toast.success(t("email.done"));
    onDone();
    return true;
  };
  return { form, isSending, left, send, submit };
}

export function EmailDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const { form, isSending, left, send, submit } = useBinding(onClose);
  return (
    <FormDialog
      title={t("email.title")}
      text={t("email.text")}
      submitLabel={t("email.submit")}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        type="email"
        label={t("email.address")}
        autoComplete="email"
        placeholder={account.email}
        value={form.values.email}
        error={form.errorOf("email")}
        onChange={(event) => form.change({ email: event.currentTarget.value })}
      />
      <div className={styles.code}>
        <TextInput
          className={styles.field ?? ""}
          label={t("email.code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={form.values.code}
          error={form.errorOf("verification_code")}
          onChange={(event) => form.change({ code: event.currentTarget.value })}
        />
        <BusyButton isBusy={isSending} disabled={left > 0} onClick={() => void send()}>
          {left > 0 ? t("email.again", { count: left }) : t("email.send")}
        </BusyButton>
      </div>
    </FormDialog>
  );
}
