/** The fields of the token drawer, by their headings: basics, limits, access. */
import { ActionIcon, Switch, Textarea, TextInput } from "@mantine/core";
import { IconCalendar, IconMinus, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import { EXPIRY_SHORTCUTS, QUOTA_PRESETS, TOKEN_BATCH_PRESETS } from "../../../../contract/src/constants.ts";
import { AUTO_GROUP, type GroupEntries } from "../../../../contract/src/features/groups.ts";
import {
  NEVER_EXPIRES,
  TOKEN_BATCH_MAX,
  TOKEN_NAME_MAX,
  type TokenRow,
} from "../../../../contract/src/features/tokens.ts";
import { amountQuota, amountText, signWidth, unitsNote } from "../../ui/form/amount.ts";
import { formatQuota, formatRelativeSeconds } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { ChoiceSelect, type SelectChoice } from "../../ui/form/choice-select.tsx";
import { Field, OptionalLabel, Presets } from "../../ui/form/fields.tsx";
import { FormSection } from "../../ui/form/form-drawer.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { NamePicker } from "../../ui/form/name-picker.tsx";
import { unlessOff } from "../../ui/plain.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { RatioTag } from "../../ui/display/tags.tsx";
import { parseExpiry } from "./model/expiry.ts";
import { modelsOfGroup } from "./model/callable-models.ts";
import { type ModelCost, modelCost } from "./model/model-prices.ts";
import { type ExpiryShortcut, type FormField, shortcutText, type Shown, type TokenForm } from "./model/token-form.ts";
import { AutoGroupsField } from "./groups-field.tsx";
import { pricingQuery } from "./queries.ts";
import styles from "./editor-fields.module.css";

export type TokenFormState = Form<TokenForm, FormField>;

const groupContent = (name: string, ratio: number | undefined) => (
  <>
    {name}
    {ratio !== undefined && <RatioTag ratio={ratio} />}
  </>
);

function useGroupChoices(groups: GroupEntries, value: string, hasOwnGroup: boolean): SelectChoice[] {
  const { t } = useTranslation("tokens");
  const viewer = useViewer();
  const offered = Object.entries(groups).map(([name, { desc, ratio }]) => ({
    value: name,
    text: name,
    content: groupContent(name, ratio),
    side: desc === name ? undefined : desc,
  }));
  const own = viewer?.group ?? "default";
  // A token made without a group follows its owner's; one whose group was closed keeps it until another is picked.
  const followsOwner = hasOwnGroup
    ? [
        {
          value: "",
          text: t("editor.ownGroup", { group: own }),
          content: groupContent(t("editor.ownGroup", { group: own }), groups[own]?.ratio),
        },
      ]
    : [];
  const gone = value !== "" && groups[value] === undefined ? [{ value, text: value, side: t("groupUnusable") }] : [];
  return [...followsOwner, ...gone, ...offered];
}

/** How many alike are made; last in the form, since most people need one. */
export function CountField({ state }: { state: TokenFormState }) {
  const { t } = useTranslation("tokens");
  const { values: form, change, errorOf } = state;
  const count = Number(form.count) || 0;
  const step = (by: number) => change({ count: String(Math.min(TOKEN_BATCH_MAX, Math.max(1, count + by))) });
  return (
    <div>
      <TextInput
        label={t("editor.count")}
        value={form.count}
        inputMode="numeric"
        error={errorOf("count")}
        description={errorOf("count") ? undefined : t("editor.countHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        onChange={(event) => change({ count: event.currentTarget.value })}
        rightSectionWidth={64}
        rightSection={
          <span className={styles.steps}>
            <ActionIcon
              variant="subtle"
              size={26}
              aria-label={t("editor.fewer")}
              {...unlessOff(count <= 1, () => step(-1))}
            >
              <IconMinus size={15} stroke={1.5} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              size={26}
              aria-label={t("editor.more")}
              {...unlessOff(count >= TOKEN_BATCH_MAX, () => step(1))}
            >
              <IconPlus size={15} stroke={1.5} />
            </ActionIcon>
          </span>
        }
      />
      <Presets
        label={t("editor.count")}
        options={TOKEN_BATCH_PRESETS.map((value) => ({ value, text: String(value) }))}
        value={count}
        onPick={(value) => change({ count: String(value) })}
      />
    </div>
  );
}

function GroupField({
  state,
  groups,
  hasOwnGroup,
}: {
  state: TokenFormState;
  groups: GroupEntries;
  hasOwnGroup: boolean;
}) {
  const { t } = useTranslation("tokens");
  const { values: form, change } = state;
  const choices = useGroupChoices(groups, form.group, hasOwnGroup);
  return (
    <Field label={t("columns.group")} htmlFor="token-group" help={t("editor.groupHelp")}>
      <ChoiceSelect
        id="token-group"
        labelledBy="token-group-label"
        choices={choices}
        value={form.group}
        onChange={(group) => change({ group })}
      />
    </Field>
  );
}

export function BasicFields({
  state,
  groups,
  hasOwnGroup,
}: {
  state: TokenFormState;
  groups: GroupEntries;
  hasOwnGroup: boolean;
}) {
  const { t } = useTranslation("tokens");
  const { values: form, change, errorOf } = state;
  return (
    <FormSection title={t("editor.basics")}>
      <TextInput
        data-autofocus
        label={t("columns.name")}
        value={form.name}
        maxLength={TOKEN_NAME_MAX * 2}
        error={errorOf("name")}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <GroupField state={state} groups={groups} hasOwnGroup={hasOwnGroup} />
      {form.group === AUTO_GROUP && <AutoGroupsField state={state} groups={groups} />}
    </FormSection>
  );
}

function QuotaField({ state, shown, token }: { state: TokenFormState; shown: Shown; token: TokenRow | undefined }) {
  const { t } = useTranslation("tokens");
  const { values: form, change, errorOf } = state;
  useStatus();
  const quota = form.isUnlimited ? undefined : amountQuota(form.amount, shown);
  const units = form.isUnlimited ? "" : unitsNote(form.amount, shown);
  const raw = units === "" ? "" : t("editor.rawQuota", { quota: units });
  const help = token === undefined ? undefined : t("editor.quotaHelp", { used: formatQuota(token.used_quota) });
  return (
    <div>
      <Field
        label={token === undefined ? t("editor.quota") : t("editor.quotaLeft")}
        htmlFor="token-amount"
        help={errorOf("amount") ? undefined : help}
        side={
          <label className={styles.unlimited}>
            {t("unlimited")}
            <Switch
              aria-label={t("unlimited")}
              checked={form.isUnlimited}
              onChange={(event) => change({ isUnlimited: event.currentTarget.checked })}
            />
          </label>
        }
      >
        <TextInput
          id="token-amount"
          value={form.isUnlimited ? "" : form.amount}
          placeholder={form.isUnlimited ? t("unlimited") : undefined}
          disabled={form.isUnlimited}
          inputMode="decimal"
          error={errorOf("amount")}
          leftSection={form.isUnlimited ? undefined : shown.sign}
          leftSectionWidth={signWidth(shown)}
          rightSection={<span className={styles.side}>{raw}</span>}
          rightSectionWidth={raw === "" ? 0 : 150}
          rightSectionPointerEvents="none"
          onChange={(event) => change({ amount: event.currentTarget.value })}
        />
      </Field>
      {!form.isUnlimited && (
        <Presets
          label={t("editor.quota")}
          options={QUOTA_PRESETS.map((value) => ({ value, text: formatQuota(value, 0) }))}
          value={QUOTA_PRESETS.find((value) => value === quota)}
          onPick={(value) => change({ amount: amountText(value, shown) })}
        />
      )}
    </div>
  );
}

const SHORTCUTS = Object.keys(EXPIRY_SHORTCUTS) as ExpiryShortcut[];

function ExpiryField({ state, shown }: { state: TokenFormState; shown: Shown }) {
  const { t } = useTranslation("tokens");
  const { values: form, change, errorOf } = state;
  const [picked, setPicked] = useState<ExpiryShortcut>();
  const moment = parseExpiry(form.expires);
  // The distance is to the moment the field was last changed: it must not tick while the user types elsewhere.
  const [changedAtS, setChangedAtS] = useState(() => Date.now() / 1000);
  const distance = moment === undefined || moment === NEVER_EXPIRES ? "" : formatRelativeSeconds(moment - changedAtS);
  const pick = (shortcut: ExpiryShortcut) => {
    const nowS = Date.now() / 1000;
    setPicked(shortcut);
    setChangedAtS(nowS);
    change({ expires: shortcutText(shortcut, nowS, shown.language) });
  };
  return (
    <div>
      <TextInput
        label={t("columns.expires")}
        value={form.expires}
        placeholder={t("never")}
        error={errorOf("expires")}
        leftSection={<IconCalendar size={15} stroke={1.5} />}
        leftSectionWidth={32}
        rightSection={<span className={styles.side}>{distance}</span>}
        rightSectionWidth={distance === "" ? 0 : 110}
        rightSectionPointerEvents="none"
        onChange={(event) => {
          setPicked(undefined);
          setChangedAtS(Date.now() / 1000);
          change({ expires: event.currentTarget.value });
        }}
      />
      <Presets
        label={t("columns.expires")}
        options={SHORTCUTS.map((value) => ({ value, text: t(`editor.shortcuts.${value}`) }))}
        value={form.expires.trim() === "" ? "never" : picked}
        onPick={pick}
      />
    </div>
  );
}

export function LimitFields({
  state,
  shown,
  token,
}: {
  state: TokenFormState;
  shown: Shown;
  token: TokenRow | undefined;
}) {
  const { t } = useTranslation("tokens");
  return (
    <FormSection title={t("editor.limits")}>
      <QuotaField state={state} shown={shown} token={token} />
      <ExpiryField state={state} shown={shown} />
    </FormSection>
  );
}

function costText(cost: ModelCost | undefined, t: TFunction): string {
  if (cost === undefined) return "";
  if (cost.kind === "tokens") return t("editor.price.tokens", { input: cost.input, output: cost.output });
  return cost.kind === "call" ? t("editor.price.call", { price: cost.price }) : t("editor.price.none");
}

/** More are not drawn at once: typing narrows them. */
const MAX_MODELS = 100;

function ModelsField({ state, groups }: { state: TokenFormState; groups: GroupEntries }) {
  const { t } = useTranslation("tokens");
  const { values: form, change } = state;
  const viewer = useViewer();
  const { quota_per_unit } = useStatus();
  const pricing = useQuery(pricingQuery);
  const group = form.group || viewer?.group || "default";
  const offered = modelsOfGroup(pricing.data ?? [], group);
  const ratio = groups[group]?.ratio ?? 1;
  const costs = new Map(offered.map((entry) => [entry.model_name, modelCost(entry, ratio, quota_per_unit)]));
  const outside = form.models.filter((name) => pricing.data !== undefined && !costs.has(name));
  const names = [...offered.map((entry) => entry.model_name), ...outside];
  return (
    <NamePicker
      label={<OptionalLabel>{t("columns.models")}</OptionalLabel>}
      description={
        outside.length > 0 ? (
          <span className={styles.warning}>
            {t("editor.modelsOutside", { models: outside.join(t("listSeparator")), group })}
          </span>
        ) : (
          t("editor.modelsHelp")
        )
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      data={names}
      value={form.models}
      onChange={(models) => change({ models })}
      placeholder={pricing.isError ? t("editor.modelsNotLoaded") : t("editor.addModel")}
      limit={MAX_MODELS}
      maxDropdownHeight={280}
      nothingFoundMessage={t(pricing.data?.length === 0 ? "editor.noModels" : "editor.noSuchModel")}
      rightSection={null}
      renderOption={({ option }) => (
        <span className={styles.model}>
          <ModelMark model={String(option.value)} />
          <span className={`mono ${styles.modelName}`}>{option.value}</span>
          <span className={styles.cost}>{costText(costs.get(String(option.value)), t)}</span>
        </span>
      )}
      renderPill={({ option, onRemove }) => <ModelPill name={String(option?.value ?? "")} onRemove={onRemove} />}
    />
  );
}

function ModelPill({ name, onRemove }: { name: string; onRemove: (() => void) | undefined }) {
  const { t } = useTranslation("tokens");
  return (
    <span className={styles.pill}>
      <ModelMark model={name} size={14} />
      <span className="mono">{name}</span>
      <button
        type="button"
        className={styles.unpick}
        tabIndex={-1}
        aria-label={t("editor.removeModel", { name })}
        onMouseDown={(event) => {
          event.preventDefault();
          event.stopPropagation();
        }}
        onClick={onRemove}
      >
        ×
      </button>
    </span>
  );
}

export function AccessFields({ state, groups }: { state: TokenFormState; groups: GroupEntries }) {
  const { t } = useTranslation("tokens");
  const { values: form, change, errorOf } = state;
  return (
    <FormSection title={t("editor.access")}>
      <ModelsField state={state} groups={groups} />
      <Textarea
        label={<OptionalLabel>{t("editor.addresses")}</OptionalLabel>}
        description={errorOf("allowIps") ? undefined : t("editor.addressesHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={errorOf("allowIps")}
        value={form.allowIps}
        onChange={(event) => change({ allowIps: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        placeholder={"10.20.0.0/16\n203.0.113.7"}
        classNames={{ input: styles.addresses ?? "" }}
      />
    </FormSection>
  );
}
