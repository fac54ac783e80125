/** The first-run wizard (spec sections 2, 4, 5): three steps, one request, then the page reloads. */
import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Navigate, useSearch } from "@tanstack/react-router";
import { IconArrowLeft, IconCheck } from "@tabler/icons-react";
import { type FormEvent, Fragment, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { getSetup, submitSetup } from "../../../../contract/src/features/setup.ts";
import { ApiError, call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { ErrorState } from "../../ui/empty.tsx";
import { EntryCard, EntryTitle } from "../../ui/entry-card.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { StatusDot } from "../../ui/tags.tsx";
import { toast } from "../../ui/toast-store.ts";
import { type AccountError, checkAccount, type SetupForm, setupBody } from "./fns/rules.ts";
import styles from "./page.module.css";
import { AdministratorExists, AdministratorStep, DatabaseStep, UsageStep } from "./steps.tsx";

/** Spec section 9: the page reloads 1.5 s after a successful set-up. */
const RELOAD_MS = 1500;
const STEPS = ["database", "administrator", "usage"] as const;
const LAST = STEPS.length - 1;
const ADMINISTRATOR = 1;

interface Facts {
  hasRoot: boolean;
  engine: string;
  isCodeRequired: boolean;
}

function StepList({ step }: { step: number }) {
  const { t } = useTranslation("setup");
  return (
    <ol className={styles.steps}>
      {STEPS.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && <li className={styles.line} data-is-done={index <= step || undefined} aria-hidden />}
          <li
            className={styles.step}
            data-state={index < step ? "done" : index === step ? "now" : "later"}
            aria-current={index === step ? "step" : undefined}
          >
            <span className={styles.number}>
              {index < step ? <IconCheck size={14} stroke={2} aria-label={t("done")} /> : index + 1}
            </span>
            {t(`steps.${name}`)}
          </li>
        </Fragment>
      ))}
    </ol>
  );
}

function DatabaseLine({ engine }: { engine: string }) {
  const { t } = useTranslation("setup");
  return (
    <div className={styles.database}>
      <StatusDot tone="green">
        <b>{t("databaseReady", { engine: t(`engines.${engine}`) })}</b>
      </StatusDot>
      <span>{t(engine === "sqlite" ? "moveLater" : "readyForMany")}</span>
    </div>
  );
}

/** Errors of the server that belong to one field of the account. */
const FIELD_ERRORS: Record<string, AccountError> = {
  setup_username_missing: { field: "username", key: "usernameMissing" },
  setup_username_long: { field: "username", key: "usernameLong" },
  setup_password_short: { field: "password", key: "passwordShort" },
  setup_password_mismatch: { field: "confirmPassword", key: "passwordMismatch" },
};

function useWizard(facts: Facts) {
  const { t } = useTranslation("setup");
  const search = useSearch({ strict: false });
  const [step, setStep] = useState(0);
  const [form, setForm] = useState<SetupForm>({
    username: "",
    password: "",
    confirmPassword: "",
    usageMode: "external",
    code: search["code"] ?? "",
  });
  const [error, setError] = useState<AccountError>();
  const [codeError, setCodeError] = useState<string>();
  const submit = useMutation({
    mutationFn: () => call(submitSetup, { body: setupBody(form, facts.hasRoot) }),
    meta: { showsOwnError: true },
    onSuccess: () => {
      toast.success(t("succeeded"));
      setTimeout(() => location.reload(), RELOAD_MS);
    },
    onError: (failure) => {
      const code = failure instanceof ApiError ? failure.code : undefined;
      const fieldError = FIELD_ERRORS[code ?? ""];
      if (fieldError) {
        setStep(ADMINISTRATOR);
        setError(fieldError);
      } else if (code === "setup_code_wrong") setCodeError(failure.message);
      toast.error(failure, t("failed"));
    },
  });
  const change = (part: Partial<SetupForm>) => {
    setForm({ ...form, ...part });
    setError(undefined);
    setCodeError(undefined);
  };
  const goOn = () => {
    const found = step === ADMINISTRATOR && !facts.hasRoot ? checkAccount(form) : undefined;
    setError(found);
    if (found) return;
    if (step < LAST) setStep(step + 1);
    else if (!submit.isPending && !submit.isSuccess) submit.mutate();
  };
  // With the code in the printed address nobody has to type it; it is asked for when that one is wrong.
  const isCodeAsked =
    (facts.isCodeRequired && !search["code"]) ||
    codeError !== undefined ||
    (codeError === undefined && form.code !== (search["code"] ?? ""));
  return {
    step,
    form,
    error,
    codeError,
    isCodeAsked,
    change,
    goOn,
    back: () => setStep(step - 1),
    isBusy: submit.isPending || submit.isSuccess,
  };
}

function Wizard({ facts }: { facts: Facts }) {
  const { t } = useTranslation("setup");
  const { system_name } = useStatus();
  const wizard = useWizard(facts);
  const { step, form, change } = wizard;
  const card = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const invalid = card.current?.querySelector<HTMLElement>(
      "[aria-invalid=true], input[data-error], input[data-invalid]",
    );
    (invalid ?? card.current?.querySelector<HTMLElement>("input:not([type=radio]), input:checked"))?.focus();
  }, [step, wizard.error, wizard.codeError]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    wizard.goOn();
  };
  return (
    <EntryCard
      width={560}
      above={
        <>
          <EntryTitle title={t("title", { name: system_name })} subtitle={t("subtitle")} />
          <StepList step={step} />
        </>
      }
      below={<DatabaseLine engine={facts.engine} />}
    >
      <form ref={card} onSubmit={onSubmit} noValidate>
        <div className={styles.body}>
          {step === 0 && <DatabaseStep engine={facts.engine} />}
          {step === ADMINISTRATOR &&
            (facts.hasRoot ? (
              <AdministratorExists />
            ) : (
              <AdministratorStep form={form} change={change} error={wizard.error} />
            ))}
          {step === LAST && (
            <UsageStep form={form} change={change} isCodeAsked={wizard.isCodeAsked} codeError={wizard.codeError} />
          )}
        </div>
        <div className={styles.foot}>
          {step === 0 ? (
            <span />
          ) : (
            <Button
              variant="subtle"
              className={styles.back ?? ""}
              leftSection={<IconArrowLeft size={15} stroke={1.5} />}
              disabled={wizard.isBusy}
              onClick={wizard.back}
            >
              {t("back")}
            </Button>
          )}
          <Button type="submit" variant="filled" loading={wizard.isBusy}>
            {t(step === LAST ? "finish" : "continue")}
          </Button>
        </div>
      </form>
    </EntryCard>
  );
}

export function SetupPage() {
  const { t } = useTranslation("setup");
  usePageTitle(t("pageTitle"));
  const query = useQuery({
    queryKey: ["setup"],
    queryFn: ({ signal }) => call(getSetup, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 0,
  });
  if (query.error)
    return <ErrorState title={t("statusFailed")} error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  if (query.data.status) return <Navigate to="/" replace />;
  return (
    <Wizard
      facts={{
        hasRoot: query.data.root_init,
        engine: query.data.database_type,
        isCodeRequired: query.data.code_required,
      }}
    />
  );
}
