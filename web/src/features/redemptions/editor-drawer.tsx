/** The drawer that makes redemption codes and edits an unused one: name, quota, how many. */
import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QUOTA_PRESETS } from "../../../../contract/src/constants.ts";
import {
  REDEMPTION_NAME_MAX,
  REDEMPTION_STATUS,
  type RedemptionRow,
} from "../../../../contract/src/features/redemptions.ts";
import { ApiError } from "../../lib/api.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { amountQuota, amountText, type QuotaView } from "../../ui/form/amount.ts";
import { OptionalLabel, Presets } from "../../ui/form/fields.tsx";
import { FormDrawer, FormSection, SideDrawer } from "../../ui/form/form-drawer.tsx";
import { CodeStatus } from "./columns.tsx";
import {
  createBody,
  type FormErrors,
  type FormField,
  formErrors,
  formOf,
  newForm,
  type RedemptionForm,
  updateBody,
} from "./model/form.ts";
import { redemptionQuery, useCreateRedemptions, useUpdateRedemption } from "./queries.ts";
import styles from "./redemptions.module.css";

/** Field of the form for a field the server refused. */
const FIELDS: Readonly<Record<string, FormField>> = { name: "name", quota: "amount", count: "count" };

function useQuotaView(): QuotaView {
  const { display_in_currency, quota_per_unit } = useStatus();
  return { isCurrency: display_in_currency, quotaPerUnit: quota_per_unit };
}

/** The form's values, what is wrong with them, and what the server found wrong. */
function useRedemptionForm(code: RedemptionRow | undefined) {
  const { t } = useTranslation("redemptions");
  const view = useQuotaView();
  const [start] = useState(() => (code === undefined ? newForm(view) : formOf(code, view)));
  const [form, setForm] = useState(start);
  const [errors, setErrors] = useState<FormErrors>({});
  const [refused, setRefused] = useState<Partial<Record<FormField, string>>>({});
  const change = (field: FormField, value: string) => {
    setForm((old) => ({ ...old, [field]: value }));
    setErrors((old) => ({ ...old, [field]: undefined }));
    setRefused((old) => ({ ...old, [field]: undefined }));
  };
  const check = (): boolean => {
    const found = formErrors(form, code === undefined, view);
    setErrors(found);
    return Object.keys(found).length === 0;
  };
  /** Puts the server's sentence under its field, or into a toast where it is about none. */
  const takeRefusal = (error: unknown): void => {
    const field = error instanceof ApiError ? FIELDS[error.field ?? ""] : undefined;
    if (field === undefined || !(error instanceof ApiError))
      toast.error(error, t(code === undefined ? "notCreated" : "notSaved"));
    else setRefused({ [field]: error.message });
  };
  const errorOf = (field: FormField): string | undefined => {
    const error = errors[field];
    return error === undefined ? refused[field] : t(`editor.errors.${error.key}`, error.values ?? {});
  };
  const isDirty = (Object.keys(form) as FormField[]).some((field) => form[field] !== start[field]);
  return { start, form, view, change, check, takeRefusal, errorOf, isDirty };
}

type FormState = ReturnType<typeof useRedemptionForm>;

function NameField({ state, isNew }: { state: FormState; isNew: boolean }) {
  const { t } = useTranslation("redemptions");
  const { form, change, errorOf } = state;
  const label = t("columns.name");
  return (
    <TextInput
      data-autofocus
      label={isNew ? <OptionalLabel>{label}</OptionalLabel> : label}
      value={form.name}
      maxLength={REDEMPTION_NAME_MAX * 2}
      description={isNew && errorOf("name") === undefined ? t("editor.nameHelp") : undefined}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={errorOf("name")}
      onChange={(event) => change("name", event.currentTarget.value)}
    />
  );
}

function AmountField({ state }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  const { form, view, change, errorOf } = state;
  const quota = amountQuota(form.amount, view);
  const raw = quota === undefined || !view.isCurrency ? "" : t("editor.rawQuota", { quota: formatNumber(quota) });
  return (
    <div>
      <TextInput
        label={t("columns.quota")}
        value={form.amount}
        inputMode="decimal"
        error={errorOf("amount")}
        leftSection={view.isCurrency ? "$" : undefined}
        leftSectionWidth={26}
        rightSection={<span className={styles.side}>{raw}</span>}
        rightSectionWidth={raw === "" ? 0 : 170}
        rightSectionPointerEvents="none"
        onChange={(event) => change("amount", event.currentTarget.value)}
      />
      <Presets
        label={t("columns.quota")}
        options={QUOTA_PRESETS.map((value) => ({ value, text: formatQuota(value, 0) }))}
        value={QUOTA_PRESETS.find((value) => value === quota)}
        onPick={(value) => change("amount", amountText(value, view))}
      />
    </div>
  );
}

const COUNT_PRESETS = [1, 10, 50, 100] as const;

function CountField({ state }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  const { form, change, errorOf } = state;
  return (
    <div>
      <TextInput
        label={t("editor.count")}
        value={form.count}
        inputMode="numeric"
        error={errorOf("count")}
        onChange={(event) => change("count", event.currentTarget.value)}
      />
      <Presets
        label={t("editor.count")}
        options={COUNT_PRESETS.map((value) => ({ value, text: String(value) }))}
        value={COUNT_PRESETS.find((value) => String(value) === form.count.trim())}
        onPick={(value) => change("count", String(value))}
      />
    </div>
  );
}

/** Codes that were just made, and the name they have. */
export interface MadeCodes {
  codes: readonly string[];
  name: string;
}

/** Makes codes and hands them over. */
export function CreateDrawer({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeCodes) => void }) {
  const { t } = useTranslation("redemptions");
  const state = useRedemptionForm(undefined);
  const create = useCreateRedemptions();
  useStatus();
  const save = async () => {
    if (!state.check()) return false;
    const body = createBody(state.form, state.view);
    try {
      const codes = await create.mutateAsync(body);
      onClose();
      onMade({ codes, name: body.name || formatQuota(body.quota, 2) });
      return true;
    } catch (error) {
      state.takeRefusal(error);
      return false;
    }
  };
  const count = Number(state.form.count);
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("create")}
      isDirty={state.isDirty}
      onSubmit={save}
      submitLabel={count > 1 ? t("editor.createMany", { count }) : t("editor.create")}
      hint={t("editor.keepLater")}
    >
      <FormSection>
        <NameField state={state} isNew />
        <AmountField state={state} />
        <CountField state={state} />
      </FormSection>
    </FormDrawer>
  );
}

function EditForm({ code, onClose }: { code: RedemptionRow; onClose: () => void }) {
  const { t } = useTranslation("redemptions");
  const state = useRedemptionForm(code);
  const update = useUpdateRedemption();
  const send = async (form: RedemptionForm) => {
    const body = updateBody(code.id, form, state.start, state.view);
    if (Object.keys(body).length === 1) return toast.info(t("nothingChanged"));
    const { name } = await update.mutateAsync(body);
    toast.success(t("saved"), name);
  };
  const save = async () => {
    if (!state.check()) return false;
    try {
      await send(state.form);
      onClose();
      return true;
    } catch (error) {
      state.takeRefusal(error);
      return false;
    }
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("editor.editTitle", { name: code.name })}
      beside={<CodeStatus status={code.status} />}
      isDirty={state.isDirty}
      onSubmit={save}
      submitLabel={t("editor.save")}
    >
      <FormSection>
        <NameField state={state} isNew={false} />
        <AmountField state={state} />
      </FormSection>
    </FormDrawer>
  );
}

/** Edits the code with this id; says so where it is used, disabled or gone. */
export function EditDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation("redemptions");
  const query = useQuery({ ...redemptionQuery(id), staleTime: Infinity });
  const [opened, setOpened] = useState<RedemptionRow>();
  // What the drawer was opened with is kept: a list fetched again meanwhile must not change what is being edited.
  if (opened === undefined && query.data !== undefined) setOpened(query.data);
  if (opened?.status === REDEMPTION_STATUS.unused) return <EditForm code={opened} onClose={onClose} />;
  return (
    <SideDrawer isOpen onClose={onClose} title={opened?.name ?? t("edit")}>
      {opened !== undefined && <p className={styles.lead}>{t("editor.notUnused")}</p>}
      {opened === undefined && query.error && (
        <ErrorState title={t("notLoadedOne")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {opened === undefined && !query.error && (
        <p role="status" className={styles.lead}>
          {t("editor.loading")}
        </p>
      )}
    </SideDrawer>
  );
}
