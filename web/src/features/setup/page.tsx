/** The first-run wizard: the administrator, the usage mode, one request; then the administrator is logged in on the dashboard. */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Navigate, useSearch } from "@tanstack/react-router";
import { IconArrowLeft, IconCheck } from "@tabler/icons-react";
import { type FormEvent, Fragment, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { getSetup, submitSetup } from "../../../../contract/src/features/setup.ts";
import { USERNAME_MAXIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import { ApiError, call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { setViewer } from "../../lib/viewer.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { EntryCard, EntryTitle } from "../../ui/entry-card.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { StatusDot } from "../../ui/display/tags.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { knownProblem, PasswordRules } from "../../ui/form/password-rules.tsx";
import { useUnsavedGuard } from "../../ui/form/unsaved.ts";
import { type AccountError, checkAccount, type SetupForm, setupBody, USAGE_MODES } from "./rules.ts";
import styles from "./page.module.css";
import { FieldError } from "../../ui/form/fields.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";

interface StepProps {
  form: SetupForm;
  change: (part: Partial<SetupForm>) => void;
}

function Heading({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h2 className={styles.heading} tabIndex={-1}>
        {title}
      </h2>
      <p className={styles.sentence}>{text}</p>
    </>
  );
}

function AdministratorStep({ form, change, error }: StepProps & { error: AccountError | undefined }) {
  const { t } = useTranslation("setup");
  const errorOf = (field: AccountError["field"]) =>
    error?.field === field ? <FieldError error={t(`errors.${error.key}`)} /> : undefined;
  const toggle = { "aria-label": t("administrator.showPassword") };
  return (
    <>
      <Heading title={t("administrator.title")} text={t("administrator.text")} />
      <div className={styles.fields}>
        <TextInput
          label={t("administrator.username")}
          name="username"
          autoComplete="username"
          maxLength={USERNAME_MAXIMUM_LENGTH}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={errorOf("username") ? undefined : t("administrator.usernameHelp")}
          value={form.username}
          error={errorOf("username")}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ username: event.currentTarget.value })}
        />
        <div>
          <PasswordInput
            label={t("administrator.password")}
            name="password"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            value={form.password}
            error={errorOf("password")}
            errorProps={{ component: "div" }}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
          <PasswordRules password={form.password} names={[form.username]} />
        </div>
        <PasswordInput
          label={t("administrator.confirm")}
          name="confirmPassword"
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          value={form.confirmPassword}
          error={errorOf("confirmPassword")}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ confirmPassword: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

/** The steps of the wizard: the administrator, and how the site is used. */
function UsageStep({
  form,
  change,
  hasRoot,
  isCodeAsked,
  codeError,
}: StepProps & { hasRoot: boolean; isCodeAsked: boolean; codeError: string | undefined }) {
  const { t } = useTranslation("setup");
  return (
    <>
      <Heading title={t("usage.title")} text={t("usage.text")} />
      {hasRoot && <Notice tone="blue">{t("administrator.exists")}</Notice>}
      <div className={styles.choices} role="radiogroup" aria-label={t("usage.title")}>
        {USAGE_MODES.map((mode) => (
          <label key={mode} className={styles.choice}>
            <input
              type="radio"
              name="usageMode"
              value={mode}
              checked={form.usageMode === mode}
              onChange={() => change({ usageMode: mode })}
            />
            <span>
              <b>{t(`modes.${mode}.name`)}</b>
              <span>{t(`modes.${mode}.text`)}</span>
            </span>
          </label>
        ))}
      </div>
      {isCodeAsked && (
        <TextInput
          className={styles.code ?? ""}
          label={t("code.label")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          description={codeError ? undefined : t("code.help")}
          autoComplete="one-time-code"
          spellCheck={false}
          value={form.code}
          error={codeError && <FieldError error={codeError} />}
          errorProps={{ component: "div" }}
          onChange={(event) => change({ code: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** The console opens 1.5 s after a successful set-up. */
const OPEN_MS = 1500;

interface SetupInfo {
  hasRoot: boolean;
  engine: string;
  /** Where the data lies; empty without the code of the printed address. */
  place: string;
}

type Step = "administrator" | "usage";

/** An administrator from a set-up that was cut off stays as it is. */
const stepsOf = ({ hasRoot }: SetupInfo): readonly Step[] => (hasRoot ? ["usage"] : ["administrator", "usage"]);

function StepList({ steps, step }: { steps: readonly Step[]; step: number }) {
  const { t } = useTranslation("setup");
  if (steps.length === 1) return null;
  return (
    <ol className={styles.steps}>
      {steps.map((name, index) => (
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

function DatabaseLine({ info }: { info: SetupInfo }) {
  const { t } = useTranslation("setup");
  return (
    <div className={styles.database}>
      <StatusDot tone="green">
        <b>{t("databaseReady", { engine: t(`engines.${info.engine}`) })}</b>
      </StatusDot>
      {info.place !== "" && <code className={`mono ${styles.place}`}>{info.place}</code>}
      {info.engine === "sqlite" && <p className={styles.databaseHint}>{t("sqliteHint")}</p>}
    </div>
  );
}

/** Errors of the server that belong to one field of the account. */
const FIELD_ERRORS: Record<string, AccountError> = {
  setup_username_missing: { field: "username", key: "usernameMissing" },
  setup_username_long: { field: "username", key: "usernameLong" },
  setup_password_short: { field: "password", key: "passwordShort" },
  password_long: { field: "password", key: "passwordLong" },
  password_common: { field: "password", key: "passwordCommon" },
  password_is_name: { field: "password", key: "passwordIsName" },
  setup_password_mismatch: { field: "confirmPassword", key: "passwordMismatch" },
};

function useSubmit(info: SetupInfo, form: SetupForm, onRefused: (failure: Error) => void) {
  const { t } = useTranslation("setup");
  return useMutation({
    mutationFn: () => call(submitSetup, { body: setupBody(form, info.hasRoot) }),
    meta: { showsOwnError: true },
    onSuccess: (user) => {
      toast.success(t("succeeded"));
      if (user !== null) setViewer(user);
      setTimeout(() => location.assign(user === null ? "/login" : "/detail"), OPEN_MS);
    },
    onError: (failure) => {
      onRefused(failure);
      toast.error(failure, t("failed"));
    },
  });
}

function useWizard(info: SetupInfo, printedCode: string) {
  const { system_name } = useStatus();
  const steps = stepsOf(info);
  const last = steps.length - 1;
  const [step, setStep] = useState(0);
  const [form, setForm] = useState<SetupForm>({
    username: "",
    password: "",
    confirmPassword: "",
    usageMode: "external",
    code: printedCode,
  });
  const [error, setError] = useState<AccountError>();
  const [codeError, setCodeError] = useState<string>();
  const submit = useSubmit(info, form, (failure) => {
    const code = failure instanceof ApiError ? failure.code : undefined;
    const fieldError = FIELD_ERRORS[code ?? ""];
    if (fieldError) {
      setStep(steps.indexOf("administrator"));
      setError(fieldError);
    } else if (code === "setup_code_wrong") setCodeError(failure.message);
  });
  const change = (part: Partial<SetupForm>) => {
    setForm({ ...form, ...part });
    setError(undefined);
    setCodeError(undefined);
  };
  const goOn = () => {
    const problem = () => knownProblem(form.password, [system_name, form.username]);
    const found = steps[step] === "administrator" ? checkAccount(form, problem()) : undefined;
    setError(found);
    if (found) return;
    if (step < last) setStep(step + 1);
    else if (!submit.isPending && !submit.isSuccess) submit.mutate();
  };
  // With the code in the printed address it need not be typed; it is asked for when that one is wrong.
  const isCodeAsked = printedCode === "" || codeError !== undefined || form.code !== printedCode;
  return {
    steps,
    step,
    isLast: step === last,
    form,
    error,
    codeError,
    isCodeAsked,
    change,
    goOn,
    back: () => setStep(step - 1),
    isBusy: submit.isPending || submit.isSuccess,
    isDirty: !submit.isSuccess && [form.username, form.password, form.confirmPassword].some((text) => text !== ""),
  };
}

function Wizard({ info, printedCode }: { info: SetupInfo; printedCode: string }) {
  const { t } = useTranslation("setup");
  const { system_name } = useStatus();
  const wizard = useWizard(info, printedCode);
  const { step, form, change } = wizard;
  const card = useRef<HTMLFormElement>(null);
  useUnsavedGuard(wizard.isDirty);
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
          <EntryTitle
            title={t("title", { name: system_name })}
            subtitle={t(info.hasRoot ? "subtitleShort" : "subtitle")}
          />
          <StepList steps={wizard.steps} step={step} />
        </>
      }
      below={<DatabaseLine info={info} />}
    >
      <form ref={card} onSubmit={onSubmit} noValidate>
        <div className={styles.body}>
          {wizard.steps[step] === "administrator" ? (
            <AdministratorStep form={form} change={change} error={wizard.error} />
          ) : (
            <UsageStep
              form={form}
              change={change}
              hasRoot={info.hasRoot}
              isCodeAsked={wizard.isCodeAsked}
              codeError={wizard.codeError}
            />
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
          <BusyButton type="submit" variant="filled" isBusy={wizard.isBusy}>
            {t(wizard.isLast ? "finish" : "continue")}
          </BusyButton>
        </div>
      </form>
    </EntryCard>
  );
}

export function SetupPage() {
  const { t } = useTranslation("setup");
  usePageTitle(t("pageTitle"));
  const { code = "" } = useSearch({ from: "/open/data/setup" });
  const query = useQuery({
    queryKey: ["setup", code],
    queryFn: ({ signal }) => call(getSetup, { query: { code }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 0,
  });
  if (query.error)
    return <ErrorState title={t("statusFailed")} error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const { status, root_init, database_type, database_place } = query.data;
  if (status) return <Navigate to="/" replace />;
  return <Wizard info={{ hasRoot: root_init, engine: database_type, place: database_place }} printedCode={code} />;
}
