/** What happens on the registration page: typing, asking for a code, sending, and what is refused at which field. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ChangeEvent, type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { MAIL_RESEND_SECONDS } from "../../../../contract/src/constants.ts";
import { siteNames } from "../../../../contract/src/passwords.ts";
import { ApiError, call } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { knownProblem } from "../../ui/form/password-rules.tsx";
import { inviteCode } from "../../ui/identities/ways.ts";
import { forgetInviteCode } from "./invite-code.ts";
import { EMPTY_FORM, looksLikeAddress, REGISTER_FIELDS, registerErrors } from "./register-form.ts";
import type { RegisterField } from "./register-form.ts";
import { useCountdown } from "./use-countdown.ts";
import type { useHumanCheck } from "./use-human-check.tsx";

type Check = ReturnType<typeof useHumanCheck>;
type Texts = Partial<Record<RegisterField, string>>;

/** Errors of the form and of its fields; the first wrong field gets the focus. */
function useErrors() {
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<string>();
  const [wrong, setWrong] = useState<Texts>({});
  const refuse = (texts: Texts) => {
    setError(undefined);
    setWrong(texts);
    const first = REGISTER_FIELDS.find((name) => texts[name] !== undefined);
    form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  };
  /** What the server said, at the field that it names. */
  const told = (failure: unknown) => {
    const { message } = describeError(failure);
    const name = failure instanceof ApiError ? REGISTER_FIELDS.find((field) => field === failure.field) : undefined;
    if (name !== undefined) return refuse({ [name]: message });
    setWrong({});
    return setError(message);
  };
  return { form, error, setError, wrong, setWrong, refuse, told };
}

/** The button that has a code mailed. */
function useCode(email: string, check: Check, errors: ReturnType<typeof useErrors>) {
  const { t } = useTranslation(["sessions", "error-codes"]);
  const { left, start } = useCountdown();
  const [isBusy, setIsBusy] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const send = async () => {
    setIsBusy(true);
    try {
      const { sendEmailCode } = await import("../../../../contract/src/features/sessions.ts");
      await call(sendEmailCode, { query: { email: email.trim(), turnstile: check.token } });
      setIsSent(true);
      start(MAIL_RESEND_SECONDS);
    } catch (failure) {
      errors.told(failure);
    } finally {
      setIsBusy(false);
      check.renew();
    }
  };
  const ask = () => {
    if (left > 0 || isBusy) return;
    setIsSent(false);
    errors.setError(undefined);
    if (!looksLikeAddress(email)) errors.refuse({ email: t("error-codes:email_invalid") });
    else if (check.isPending) errors.setError(t("humanCheckPending"));
    else void send();
  };
  return { ask, left, isBusy, isSent };
}

export function useRegistration(check: Check) {
  const { t } = useTranslation(["sessions", "error-codes"]);
  const { email_verification, system_name, server_address } = useStatus();
  const { next } = useSearch({ from: "/open/register" });
  const navigate = useNavigate();
  const [values, setValues] = useState(EMPTY_FORM);
  const [isBusy, setIsBusy] = useState(false);
  const errors = useErrors();
  const code = useCode(values.email, check, errors);
  const send = async () => {
    setIsBusy(true);
    try {
      const { register } = await import("../../../../contract/src/features/sessions.ts");
      await call(register, { body: { ...values, aff_code: inviteCode() }, query: { turnstile: check.token } });
      forgetInviteCode();
      await navigate({ to: "/login", search: { registered: "true", next } });
    } catch (failure) {
      errors.told(failure);
      check.renew();
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const site = siteNames({ name: system_name, address: server_address });
    const problem = knownProblem(values.password, [...site, values.username, values.email]);
    const found = Object.entries(registerErrors(values, email_verification, problem));
    if (found.length > 0)
      errors.refuse(Object.fromEntries(found.map(([name, key]) => [name, t(`error-codes:${key}`)])));
    else if (check.isPending) errors.setError(t("humanCheckPending"));
    else void send();
  };
  const field = (name: RegisterField) => ({
    name,
    value: values[name],
    error: errors.wrong[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setValues({ ...values, [name]: currentTarget.value });
      errors.setWrong({ ...errors.wrong, [name]: undefined });
    },
  });
  return { form: errors.form, error: errors.error, field, code, isBusy, onSubmit };
}

export type Registration = ReturnType<typeof useRegistration>;
