/** The state of the token drawer's form: its values, what is wrong with them, and what the server found wrong. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../lib/api.ts";
import {
  type FormErrors,
  type FormField,
  formErrors,
  isChanged,
  type Shown,
  type TokenForm,
} from "./model/token-form.ts";

/** Field of the form for a field the server refused. */
const FIELDS: Record<string, FormField> = {
  name: "name",
  count: "count",
  remain_quota: "amount",
  expired_time: "expires",
  allow_ips: "allowIps",
};

/** The form's values, what is wrong with them, and what the server found wrong. */
export function useTokenForm(start: TokenForm, isNew: boolean, shown: Shown) {
  const { t } = useTranslation("tokens");
  const [form, setForm] = useState(start);
  const [errors, setErrors] = useState<FormErrors>({});
  const [refused, setRefused] = useState<Partial<Record<FormField, string>>>({});
  const change = (part: Partial<TokenForm>) => {
    const touched = Object.keys(part);
    const without = <T extends object>(record: T): T =>
      Object.fromEntries(Object.entries(record).filter(([field]) => !touched.includes(field))) as T;
    setForm((old) => ({ ...old, ...part }));
    setErrors(without);
    setRefused(without);
  };
  const check = (): boolean => {
    const found = formErrors(form, start, isNew, shown, Date.now() / 1000);
    setErrors(found);
    return Object.keys(found).length === 0;
  };
  /** Puts the server's sentence under its field; true where it has one here. */
  const takeRefusal = (error: unknown): boolean => {
    const field = error instanceof ApiError ? FIELDS[error.field ?? ""] : undefined;
    if (field === undefined || !(error instanceof ApiError)) return false;
    setRefused({ [field]: error.message });
    return true;
  };
  const errorOf = (field: FormField): string | undefined => {
    const error = errors[field];
    return error ? t(`editor.errors.${error.key}`, error.values ?? {}) : refused[field];
  };
  return { form, change, check, takeRefusal, errorOf, isDirty: isChanged(form, start) };
}

export type TokenFormState = ReturnType<typeof useTokenForm>;
