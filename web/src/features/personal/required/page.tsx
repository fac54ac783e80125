/** What an account has to do before anything else opens, one step after the other: a password of its own, a second factor. Then on to the page that was wanted. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { nextAddress } from "../../../lib/next-address.ts";
import { setViewer, viewer } from "../../../lib/viewer.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { type Account, selfQuery, useRefreshAccount } from "../queries.ts";
import { usePasswordChange } from "../dialogs/password-fields.tsx";
import { FactorStep } from "./factor-step.tsx";
import { StepCard } from "./step-card.tsx";
import styles from "./required.module.css";

/** The step that replaces a password which another person chose. */
function PasswordStep({ account, onDone }: { account: Account; onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const { fields, save } = usePasswordChange(account);
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const send = async () => {
    setIsBusy(true);
    const isDone = await save().finally(() => setIsBusy(false));
    // The errors are drawn by the next frame.
    if (!isDone) requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    else {
      toast.success(t("password.done"));
      await onDone();
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) void send();
  };
  return (
    <StepCard title={t("required.password.title")} text={t("required.password.text")}>
      <form ref={form} className={styles.form} onSubmit={submit} noValidate>
        {fields}
        <BusyButton type="submit" variant="filled" size="lg" isBusy={isBusy}>
          {t("required.password.submit")}
        </BusyButton>
      </form>
    </StepCard>
  );
}

/** Nothing is left to do: the browser remembers it, and the page that was wanted opens. */
function GoOn() {
  const { next } = useSearch({ strict: false });
  const navigate = useNavigate();
  useEffect(() => {
    const user = viewer();
    if (user !== null) setViewer({ ...user, required_action: "" });
    void navigate({ href: nextAddress(next), replace: true });
  }, [next, navigate]);
  return null;
}

function Step({ account, onDone }: { account: Account; onDone: () => Promise<void> }) {
  if (account.required_action === "password_change") return <PasswordStep account={account} onDone={onDone} />;
  return account.required_action === "second_factor" ? <FactorStep onDone={onDone} /> : <GoOn />;
}

export function RequiredActionPage() {
  const { t } = useTranslation("personal");
  const query = useQuery(selfQuery);
  const refresh = useRefreshAccount();
  if (query.data !== undefined) return <Step account={query.data} onDone={refresh} />;
  if (!query.isError) return <div className={styles.ghost} aria-busy />;
  return <ErrorState isPage title={t("required.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
}
