/** The steps that an account must complete before any other page: a password of its own, a second factor. Then the page that was wanted. */
import { IconDeviceMobile, IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState, lazy, Suspense, type ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { nextAddress } from "../../lib/next-address.ts";
import { setViewer, viewer } from "../../lib/viewer.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { BusyButton } from "../../ui/busy-button.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { type Account, selfQuery, useRefreshAccount } from "./queries.ts";
import { usePasswordChange } from "./dialogs/password-fields.tsx";
import styles from "./required.module.css";
import type { DataOf } from "../../../../contract/src/endpoint.ts";
import { beginTotp } from "../../../../contract/src/features/factors.ts";
import { acceptTerms } from "../../../../contract/src/features/status.ts";
import { loadStatus, useStatus } from "../../lib/status.ts";
import { TermsLinks } from "../../ui/content/terms-links.tsx";
import { call } from "../../lib/api.ts";
import { Row, Rows } from "../../ui/display/card.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { passkeyObstacle } from "../../ui/passkey-support.ts";
import { useAct } from "./security/act.ts";
import { AddPasskey } from "./security/passkeys.tsx";
import { Mark } from "../../ui/display/mark.tsx";
import { EntryCard } from "../../ui/entry-card.tsx";
import { usePageTitle } from "../../ui/page.tsx";

/** The card that one step of what has to be done first stands in. */
function StepCard({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <EntryCard width={560}>
      <div className={styles.body}>
        <div className={styles.head}>
          <Mark size={44} />
          <h1 className={styles.title}>{title}</h1>
          {text && <p className={styles.text}>{text}</p>}
        </div>
        {children}
      </div>
    </EntryCard>
  );
}

const TotpForm = lazy(async () => ({ default: (await import("./security/totp-form.tsx")).TotpForm }));
const RecoveryCodes = lazy(async () => ({ default: (await import("./security/recovery-codes.tsx")).RecoveryCodes }));

type Begun = DataOf<typeof beginTotp>;

function Choice({ onBegun, onDone }: { onBegun: (begun: Begun) => void; onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const obstacle = passkeyObstacle();
  const begin = async () => {
    const begun = await run(t("security.totp.notBegun"), () => call(beginTotp, {}));
    if (begun !== undefined) onBegun(begun);
  };
  return (
    <Rows>
      <Row
        icon={<IconDeviceMobile size={18} stroke={1.5} />}
        name={t("security.totp.title")}
        value={t("security.totp.text")}
        action={
          <BusyButton variant="filled" isBusy={isBusy} onClick={() => void begin()}>
            {t("security.totp.begin")}
          </BusyButton>
        }
      />
      <Row
        icon={<IconKey size={18} stroke={1.5} />}
        name={t("security.passkeys.title")}
        value={
          obstacle === undefined ? t("security.passkeys.text") : <Faint>{t(`security.passkeys.${obstacle}`)}</Faint>
        }
        action={obstacle === undefined && <AddPasskey onAdded={() => void onDone()} />}
      />
    </Rows>
  );
}

/** The step that sets a second factor up: an authenticator app with its recovery codes, or a passkey. */
function FactorStep({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const ghost = <div className={styles.ghost} aria-busy />;
  if (codes !== undefined)
    return (
      <StepCard title={t("security.codes.title")}>
        <Suspense fallback={ghost}>
          <RecoveryCodes codes={codes} onClose={() => void onDone()} />
        </Suspense>
      </StepCard>
    );
  if (begun !== undefined)
    return (
      <StepCard title={t("security.totp.setUp")}>
        <Suspense fallback={ghost}>
          <TotpForm
            begun={begun}
            onConfirmed={setCodes}
            onClose={() => setBegun(undefined)}
            closeLabel={t("required.back")}
          />
        </Suspense>
      </StepCard>
    );
  return (
    <StepCard title={t("required.factor.title")} text={t("required.factor.text")}>
      <Choice onBegun={setBegun} onDone={onDone} />
    </StepCard>
  );
}

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

/** The step that accepts the user agreement and the privacy policy, in the version that the status has now. */
function TermsStep({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const { terms_version } = useStatus();
  const [isBusy, setIsBusy] = useState(false);
  // What this browser has stored may be of an earlier version.
  useEffect(() => void loadStatus(), []);
  const accept = async () => {
    setIsBusy(true);
    try {
      await call(acceptTerms, { body: { terms_version } });
      await onDone();
    } catch (error) {
      toast.error(error, t("required.terms.notAccepted"));
      await loadStatus();
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <StepCard title={t("required.terms.title")} text={t("required.terms.text")}>
      <div className={styles.form}>
        <p className={styles.text}>
          {t("required.terms.read")}
          <TermsLinks />
        </p>
        <BusyButton variant="filled" size="lg" isBusy={isBusy} onClick={() => void accept()}>
          {t("required.terms.submit")}
        </BusyButton>
      </div>
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
  if (account.required_action === "terms") return <TermsStep onDone={onDone} />;
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
