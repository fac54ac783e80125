/** The drawer that makes redemption codes and edits an unused one: name, quota, how many. */
import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { QUOTA_PRESETS } from "../../../../contract/src/constants.ts";
import {
  REDEMPTION_NAME_MAX,
  REDEMPTION_STATUS,
  type RedemptionRow,
} from "../../../../contract/src/features/redemptions.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { amountQuota, amountText, signWidth, unitsNote, useQuotaView } from "../../ui/form/amount.ts";
import { OptionalLabel, Presets } from "../../ui/form/fields.tsx";
import { FormDrawer, FormSection, SideDrawer } from "../../ui/form/form-drawer.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { MomentField } from "../../ui/time-range/moment-field.tsx";
import { CodeStatus } from "./columns.tsx";
import {
  createBody,
  type FormField,
  formErrors,
  givenBy,
  formOf,
  newForm,
  type RedemptionForm,
  updateBody,
} from "./model/code.ts";
import { redemptionQuery, useCreateRedemptions, useUpdateRedemption } from "./queries.ts";
import styles from "./redemptions.module.css";

/** Field of the form for a field the server refused. */
const FIELDS: Readonly<Record<string, FormField>> = {
  name: "name",
  quota: "amount",
  count: "count",
  expired_time: "expires",
};

function useRedemptionForm(code: RedemptionRow | undefined) {
  const { t } = useTranslation("redemptions");
  const view = useQuotaView();
  const form = useForm<RedemptionForm, FormField>({
    start: () => (code === undefined ? newForm(view) : formOf(code, view)),
    check: (values) => formErrors(values, code === undefined, view),
    sentence: (key, values) => t(`editor.errors.${key}`, values),
    refusedField: (name) => FIELDS[name],
  });
  return { ...form, view };
}

type FormState = ReturnType<typeof useRedemptionForm>;

function NameField({ state, isNew }: { state: FormState; isNew: boolean }) {
  const { t } = useTranslation("redemptions");
  const { values, change, errorOf } = state;
  const label = t("columns.name");
  return (
    <TextInput
      data-autofocus
      label={isNew ? <OptionalLabel>{label}</OptionalLabel> : label}
      value={values.name}
      maxLength={REDEMPTION_NAME_MAX * 2}
      description={isNew && errorOf("name") === undefined ? t("editor.nameHelp") : undefined}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={errorOf("name")}
      onChange={(event) => change({ name: event.currentTarget.value })}
    />
  );
}

function AmountField({ state }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  const { values, view, change, errorOf } = state;
  const quota = amountQuota(values.amount, view);
  const units = unitsNote(values.amount, view);
  const raw = units === "" ? "" : t("editor.rawQuota", { quota: units });
  return (
    <div>
      <TextInput
        label={t("columns.quota")}
        value={values.amount}
        inputMode="decimal"
        error={errorOf("amount")}
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
        rightSection={<span className={styles.side}>{raw}</span>}
        rightSectionWidth={raw === "" ? 0 : 170}
        rightSectionPointerEvents="none"
        onChange={(event) => change({ amount: event.currentTarget.value })}
      />
      <Presets
        label={t("columns.quota")}
        options={QUOTA_PRESETS.map((value) => ({ value, text: formatQuota(value, 0) }))}
        value={QUOTA_PRESETS.find((value) => value === quota)}
        onPick={(value) => change({ amount: amountText(value, view) })}
      />
    </div>
  );
}

function ExpiryField({ state }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  const { values, change, errorOf } = state;
  return (
    <MomentField
      label={<OptionalLabel>{t("columns.expires")}</OptionalLabel>}
      value={values.expires}
      description={errorOf("expires") === undefined ? t("editor.expiresHelp") : undefined}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={errorOf("expires")}
      onChange={(expires) => change({ expires })}
    />
  );
}

const COUNT_PRESETS = [1, 10, 50, 100] as const;

function CountField({ state }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  const { values, change, errorOf } = state;
  return (
    <div>
      <TextInput
        label={t("editor.count")}
        value={values.count}
        inputMode="numeric"
        error={errorOf("count")}
        onChange={(event) => change({ count: event.currentTarget.value })}
      />
      <Presets
        label={t("editor.count")}
        options={COUNT_PRESETS.map((value) => ({ value, text: String(value) }))}
        value={COUNT_PRESETS.find((value) => String(value) === values.count.trim())}
        onPick={(value) => change({ count: String(value) })}
      />
    </div>
  );
}

/** What is given away, so that no amount that was proposed goes out unread. */
function Given({ state: { values, view } }: { state: FormState }) {
  const { t } = useTranslation("redemptions");
  useStatus();
  const given = givenBy(values, view);
  if (given === undefined) return null;
  const { count, quota, sum } = given;
  // With the decimals of the field above, in which 0.20 is not 0.2000.
  const textOf = (amount: number): string => formatQuota(amount, amountText(amount, view).split(".")[1]?.length);
  return t("editor.given", { count, amount: textOf(quota), sum: textOf(sum) });
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
  const send = async (values: RedemptionForm) => {
    const body = createBody(values, state.view);
    const codes = await create.mutateAsync(body);
    onClose();
    onMade({ codes, name: body.name || formatQuota(body.quota, 2) });
  };
  const count = Number(state.values.count);
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("create")}
      isDirty={state.isDirty}
      onSubmit={() => state.submit(send, { failed: t("notCreated") })}
      submitLabel={count > 1 ? t("editor.createMany", { count }) : t("editor.create")}
      hint={t("editor.keepLater")}
      summary={<Given state={state} />}
    >
      <FormSection>
        <NameField state={state} isNew />
        <AmountField state={state} />
        <CountField state={state} />
        <ExpiryField state={state} />
      </FormSection>
    </FormDrawer>
  );
}

function EditForm({ code, onClose }: { code: RedemptionRow; onClose: () => void }) {
  const { t } = useTranslation("redemptions");
  const state = useRedemptionForm(code);
  const update = useUpdateRedemption();
  const send = async (values: RedemptionForm) => {
    const body = updateBody(code.id, values, state.start, state.view);
    if (Object.keys(body).length === 1) toast.info(t("nothingChanged"));
    else {
      const { name } = await update.mutateAsync(body);
      toast.success(t("saved"), name);
    }
    onClose();
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("editor.editTitle", { name: code.name })}
      beside={<CodeStatus code={code} />}
      isDirty={state.isDirty}
      onSubmit={() => state.submit(send, { failed: t("notSaved") })}
      submitLabel={t("editor.save")}
    >
      <FormSection>
        <NameField state={state} isNew={false} />
        <AmountField state={state} />
        <ExpiryField state={state} />
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
