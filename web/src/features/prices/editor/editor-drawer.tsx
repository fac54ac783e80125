/** The drawer that sets the price of one model: by tokens or by request, in dollars or ratios, with what the list says and what a call would cost. */
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { NO_OWN_PRICE } from "../../../../../contract/src/pricing/own-prices.ts";
import { decimalTextOf } from "../../../../../contract/src/pricing/price-display.ts";
import { apart } from "../../../lib/names.ts";
import { useStatus } from "../../../lib/status.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { ManagedNotice, useManagedQuestion, useMark } from "../../../ui/managed.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { FormDrawer, FormSection, SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { LockedFields } from "../../../ui/form/locked-fields.tsx";
import { sizedTexts, TOOL_FIELDS } from "../model/draft.ts";
import { basePriceOf } from "../model/rows.ts";
import { dollars } from "../model/units.ts";
import { conflictOf, priceOfModelQuery, useChangePrices } from "../queries.ts";
import { TryDraft } from "../try-draft.tsx";
import { Origin } from "./columns.tsx";
import styles from "./editor.module.css";
import { type PriceForm, usePriceForm } from "./form-state.ts";
import { ListPrice } from "./list-price.tsx";
import { UpstreamCosts } from "./upstream-costs.tsx";
import { SampleCost } from "./sample-cost.tsx";
import { DroppedTiers, TierFields, AmountInput, TokenFields } from "./token-fields.tsx";

/** Loaded where another user changed the price that is open. */
const Conflict = lazy(async () => ({ default: (await import("./conflict.tsx")).Conflict }));

const NAME_PAUSE_MS = 300;

/** By tokens or by request; a fixed price wins, which is said where token prices stand below it. */
function KindFields({ form, isFirst }: { form: PriceForm; isFirst: boolean }) {
  const { t } = useTranslation("prices");
  const { draft, source } = form;
  const isOverTokens = source.own.ratios.ModelRatio !== undefined || source.base?.kind === "per_token";
  const inherited = source.base?.kind === "per_call" ? source.base.price : undefined;
  return (
    <FormSection title={t("editor.form.price")}>
      <Segmented
        label={t("editor.form.kind")}
        options={[
          { value: "tokens", text: t("editor.form.byTokens") },
          { value: "call", text: t("common.perCall") },
        ]}
        value={draft.kind}
        onChange={(kind) => form.change({ kind })}
      />
      {draft.kind === "call" ? (
        <>
          <AmountInput
            label={t("editor.form.call")}
            value={draft.call}
            onChange={(call) => form.change({ call })}
            error={form.errorOf("call")}
            help={t("editor.form.callHelp")}
            placeholder={inherited}
            sign="$"
            isFirst={isFirst}
          />
          {isOverTokens && <Notice tone="blue">{t("editor.form.fixedWins")}</Notice>}
        </>
      ) : (
        <>
          <TokenFields form={form} isFirst={isFirst} />
          <DroppedTiers form={form} />
        </>
      )}
    </FormSection>
  );
}

function ToolPrices({ form, row }: { form: PriceForm; row: PriceRow | undefined }) {
  const { t } = useTranslation("prices");
  return (
    <FormSection title={t("editor.tools.title")}>
      <div className={styles.grid}>
        {TOOL_FIELDS.map((tool) => {
          const sizes = sizedTexts(form.source.own, tool)?.map(dollars);
          return (
            <AmountInput
              key={tool}
              label={t(`editor.tools.${tool}`)}
              value={form.draft.tools[tool]}
              onChange={(value) => form.change({ tools: { ...form.draft.tools, [tool]: value } })}
              error={form.errorOf(`tools.${tool}`)}
              help={sizes && t("editor.tools.sized", { low: sizes[0], medium: sizes[1], high: sizes[2] })}
              placeholder={row?.tools[tool]}
              sign="$"
            />
          );
        })}
      </div>
    </FormSection>
  );
}

/** The dry run of the draft on past calls; absent while it changes nothing or is wrong. */
function TryEdit({ model, form }: { model: string; form: PriceForm }) {
  const { own } = form.read;
  const draft = useMemo(() => ({ changes: [{ model, to: own }] }), [model, own]);
  const isWrong = Object.keys(form.read.errors).length > 0;
  return model === "" || isWrong || form.isSame ? null : <TryDraft draft={draft} />;
}

interface EditorProps {
  /** Undefined for a price that is added. */
  row: PriceRow | undefined;
  rows: readonly PriceRow[];
  onClose: () => void;
}

/** Facts about the model whose name is being typed. */
function useNamed(name: string): PriceRow | undefined {
  const [asked] = useDebouncedValue(name.trim(), NAME_PAUSE_MS);
  const query = useQuery(priceOfModelQuery(asked));
  return query.data?.model === name.trim() ? query.data : undefined;
}

function useEditor({ row, rows, onClose }: EditorProps) {
  const { t } = useTranslation("prices");
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const [typedName, setTypedName] = useState("");
  const named = useNamed(typedName);
  const known = row ?? named;
  const base = known === undefined ? undefined : basePriceOf(known);
  const form = usePriceForm({ own: row?.own ?? NO_OWN_PRICE, base, quotaPerUnit });
  const change = useChangePrices();
  const [hasConflict, setHasConflict] = useState(false);
  const mayChange = useManagedQuestion();
  const model = row?.model ?? typedName.trim();
  const mark = useMark("price", model);
  const nameError = row !== undefined ? undefined : nameErrorOf(model, rows);
  const save = async (): Promise<boolean> => {
    if (!form.check() || nameError !== undefined || hasConflict) return false;
    if (form.isSame) {
      toast.info(t("common.nothingChanged"));
      onClose();
      return true;
    }
    if (!(await mayChange([mark]))) return true;
    try {
      await change.mutateAsync([{ model, from: form.source.own, to: form.read.own }]);
    } catch (error) {
      if (conflictOf(error) === undefined) toast.error(error, t("editor.notSaved", { model: apart(model) }));
      else setHasConflict(true);
      return false;
    }
    toast.success(t("editor.saved", { model: apart(model) }));
    onClose();
    return true;
  };
  const setName = (next: string) => {
    setTypedName(next);
    form.setName(next);
  };
  return {
    form,
    known,
    mark,
    save,
    model,
    nameError,
    typedName,
    setName,
    hasConflict,
    endConflict: () => setHasConflict(false),
    base,
    quotaPerUnit,
  };
}

type NameError = "nameMissing" | "exists";

const nameErrorOf = (model: string, rows: readonly PriceRow[]): NameError | undefined => {
  if (model === "") return "nameMissing";
  return rows.some((each) => each.model === model) ? "exists" : undefined;
};

function NameField({ editor }: { editor: ReturnType<typeof useEditor> }) {
  const { t } = useTranslation("prices");
  const { form, nameError, typedName, setName } = editor;
  const isShown = nameError === "exists" || (form.isChecked && nameError !== undefined);
  return (
    <FormSection title={t("editor.form.model")}>
      <TextInput
        data-autofocus
        label={t("editor.form.name")}
        value={typedName}
        autoComplete="off"
        spellCheck={false}
        inputWrapperOrder={["label", "input", "description", "error"]}
        description={isShown ? undefined : t("editor.form.nameHelp")}
        error={isShown ? t(`common.error.${nameError}`) : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormSection>
  );
}

function Editor(props: EditorProps) {
  const { t } = useTranslation("prices");
  const { row, rows, onClose } = props;
  const editor = useEditor(props);
  const { form, known, base, quotaPerUnit } = editor;
  const isLocked = row !== undefined && editor.mark?.is_locked === true;
  // The list is asked again after a refusal: this is what another user has stored.
  const stored = row === undefined ? known : rows.find(({ model }) => model === row.model);
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={row?.model ?? t("editor.addTitle")}
      mark={row && <ModelMark model={row.model} size={20} />}
      beside={row && <Origin row={row} t={t} />}
      isDirty={form.isDirty}
      onSubmit={editor.save}
      submitLabel={t("editor.save")}
      isLocked={isLocked}
      hint={row && !row.is_enabled ? t("editor.notOffered") : undefined}
    >
      <ManagedNotice mark={editor.mark} />
      {editor.hasConflict && (
        <Suspense>
          <Conflict
            form={form}
            stored={stored}
            onChoose={(keepsDraft) => {
              form.restart({ own: stored?.own ?? NO_OWN_PRICE, base, quotaPerUnit }, keepsDraft);
              editor.endConflict();
            }}
          />
        </Suspense>
      )}
      {row === undefined && <NameField editor={editor} />}
      <ListPrice row={known} quotaPerUnit={quotaPerUnit} />
      <UpstreamCosts row={known} quotaPerUnit={quotaPerUnit} />
      <LockedFields isLocked={isLocked}>
        <KindFields form={form} isFirst={row !== undefined} />
        {form.draft.kind === "tokens" && <TierFields form={form} />}
        <ToolPrices form={form} row={known} />
      </LockedFields>
      <SampleCost form={form} />
      <TryEdit model={editor.model} form={form} />
    </FormDrawer>
  );
}

/** Keeps the price with which the drawer was opened: a list fetched again meanwhile must not change what is being edited. */
function LoadedEditor(props: EditorProps) {
  const [row] = useState(props.row);
  return <Editor {...props} row={row} />;
}

/** @param model undefined for a price to add */
export function EditorDrawer({ model, rows, onClose }: Omit<EditorProps, "row"> & { model?: string }) {
  const { t } = useTranslation("prices");
  const listed = rows.find((row) => row.model === model);
  const query = useQuery({ ...priceOfModelQuery(model ?? ""), enabled: model !== undefined && listed === undefined });
  const row = listed ?? query.data;
  if (model === undefined || row !== undefined) return <LoadedEditor row={row} rows={rows} onClose={onClose} />;
  return (
    <SideDrawer isOpen onClose={onClose} title={model}>
      {query.error ? (
        <ErrorState title={t("editor.notLoadedOne")} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <p role="status">{t("editor.loading")}</p>
      )}
    </SideDrawer>
  );
}
