/** The state of the users' forms: values, what is wrong with them, and what the server found wrong. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import type { QuotaView } from "../../ui/form/amount.ts";
import { ApiError } from "../../lib/api.ts";
import { useStatus } from "../../lib/status.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import {
  formErrors,
  formOf,
  NEW_USER_FORM,
  type UserField,
  type UserForm,
  type UserFormErrors,
} from "./model/user-form.ts";

/** Field of the form for a field the server refused. */
const FIELDS: Readonly<Record<string, UserField>> = {
  username: "username",
  display_name: "displayName",
  password: "password",
  group: "group",
  quota_delta: "amount",
};

function useQuotaView(): QuotaView {
  const { display_in_currency, quota_per_unit } = useStatus();
  return { isCurrency: display_in_currency, quotaPerUnit: quota_per_unit };
}

/** @param user who is edited; undefined for one to be made */
export function useUserForm(user?: ManagedUser) {
  const { t } = useTranslation("users");
  const view = useQuotaView();
  const [start] = useState(() => (user === undefined ? NEW_USER_FORM : formOf(user)));
  const [form, setForm] = useState(start);
  const [errors, setErrors] = useState<UserFormErrors>({});
  const [refused, setRefused] = useState<Partial<Record<UserField, string>>>({});
  const change = (field: UserField, value: string) => {
    setForm((old) => ({ ...old, [field]: value }));
    setErrors((old) => ({ ...old, [field]: undefined }));
    setRefused((old) => ({ ...old, [field]: undefined }));
  };
  /** True where nothing is wrong. */
  const check = (): boolean => {
    const found = formErrors(form, user, view);
    setErrors(found);
    return Object.keys(found).length === 0;
  };
  /** Puts the server's sentence under its field, or into a toast with this title where it is about none. */
  const takeRefusal = (error: unknown, title: string): void => {
    const field = error instanceof ApiError ? FIELDS[error.field ?? ""] : undefined;
    if (field === undefined || !(error instanceof ApiError)) toast.error(error, title);
    else setRefused({ [field]: error.message });
  };
  const errorOf = (field: UserField): string | undefined => {
    const error = errors[field];
    return error === undefined ? refused[field] : t(`form.errors.${error.key}`, error.values ?? {});
  };
  const isDirty = (Object.keys(form) as (keyof UserForm)[]).some((field) => form[field] !== start[field]);
  return { form, change, check, takeRefusal, errorOf, isDirty, view };
}

export type UserFormState = ReturnType<typeof useUserForm>;
