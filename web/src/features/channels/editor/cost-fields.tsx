/** The drawer's fields for upstream costs: a factor of the price list, prices of single models, or JSON. */
import { ActionIcon, Autocomplete, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import { usePendingText } from "../../../ui/form/pending-text.ts";
import { JsonEditor } from "../../../ui/form/json-editor.tsx";
import { FieldError, FieldLink, OptionalLabel, Segmented } from "../../../ui/form/fields.tsx";
import {
  type CostName,
  type CostsForm,
  costsText,
  isWrongPrice,
  type ModelCostForm,
  parseCosts,
  TOKEN_PRICES,
  upstreamModels,
} from "../model/costs.ts";
import { COSTS_TEMPLATE, type FieldsProps } from "../model/form.ts";
import styles from "./cost-fields.module.css";

interface ModelProps {
  cost: ModelCostForm;
  /** Whether empty fields that are needed are marked: not before the first attempt to save. */
  isChecked: boolean;
  onChange: (cost: ModelCostForm) => void;
  onRemove: () => void;
}

function ModelCost({ cost, isChecked, onChange, onRemove }: ModelProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { model, isByRequest, prices } = cost;
  const names: readonly CostName[] = isByRequest ? ["request"] : TOKEN_PRICES;
  const isWrong = (name: CostName): boolean =>
    ((prices[name] ?? "") !== "" || isChecked) && isWrongPrice(name, prices[name]);
  return (
    <li className={styles.model} aria-label={model}>
      <div className={styles.head}>
        <span className={`mono ${styles.name}`} title={model}>
          {model}
        </span>
        <Segmented
          label={t("channel-editor:costs.per")}
          options={[
            { value: "tokens", text: t("channel-editor:costs.perMillion") },
            { value: "request", text: t("channel-editor:costs.perRequest") },
          ]}
          value={isByRequest ? "request" : "tokens"}
          onChange={(per) => onChange({ model, isByRequest: per === "request", prices: {} })}
        />
        <ActionIcon
          variant="subtle"
          size={28}
          aria-label={t("channel-editor:costs.remove", { model })}
          onClick={onRemove}
        >
          <IconX size={15} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className={styles.prices}>
        {names.map((name) => (
          <TextInput
            key={name}
            label={t(`channel-editor:costs.price.${name}`)}
            inputMode="decimal"
            autoComplete="off"
            leftSection={<span className={styles.currency}>$</span>}
            leftSectionWidth={22}
            placeholder={name === "cache_read" || name === "cache_write" ? t("channel-editor:costs.asListed") : "0"}
            value={prices[name] ?? ""}
            error={isWrong(name)}
            onChange={(event) => onChange({ ...cost, prices: { ...prices, [name]: event.currentTarget.value.trim() } })}
          />
        ))}
      </div>
    </li>
  );
}

function AddModel({ offered, onAdd }: { offered: readonly string[]; onAdd: (model: string) => void }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const [typed, setTyped] = useState("");
  const leftOver = usePendingText(typed);
  const wanted = typed.trim().toLowerCase();
  const isOffered = wanted !== "" && offered.some((model) => model.toLowerCase().includes(wanted));
  const add = (model: string) => {
    if (model.trim() === "") return;
    onAdd(model.trim());
    setTyped("");
  };
  return (
    <Autocomplete
      label={<OptionalLabel>{t("channel-editor:costs.models")}</OptionalLabel>}
      description={t("channel-editor:costs.modelsHelp")}
      inputWrapperOrder={["label", "description", "input", "error"]}
      placeholder={t("form.addModel")}
      data={[...offered]}
      // Enter takes the first name that fits, or the text where none does.
      selectFirstOptionOnChange={isOffered}
      error={leftOver}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={(model) => {
        add(model);
        // The field takes the chosen name once more after this.
        queueMicrotask(() => setTyped(""));
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        if (!isOffered) add(typed);
      }}
    />
  );
}

interface VisualProps {
  costs: CostsForm;
  offered: readonly string[];
  isChecked: boolean;
  onChange: (costs: CostsForm) => void;
}

function VisualFields({ costs, offered, isChecked, onChange }: VisualProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { factor, models } = costs;
  const setModels = (next: readonly ModelCostForm[]) => onChange({ factor, models: next });
  const addModel = (model: string) => {
    if (!models.some((cost) => cost.model === model)) setModels([...models, { model, isByRequest: false, prices: {} }]);
  };
  return (
    <>
      <TextInput
        className={styles.factor ?? ""}
        label={<OptionalLabel>{t("channel-editor:costs.factor")}</OptionalLabel>}
        description={t("channel-editor:costs.factorHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        inputMode="decimal"
        autoComplete="off"
        placeholder="1"
        value={factor}
        onChange={(event) => onChange({ models, factor: event.currentTarget.value.trim() })}
      />
      {!useIsLocked() && <AddModel offered={offered} onAdd={addModel} />}
      {models.length > 0 && (
        <ul className={styles.models}>
          {models.map((cost) => (
            <ModelCost
              key={cost.model}
              cost={cost}
              isChecked={isChecked}
              onChange={(next) => setModels(models.map((each) => (each.model === cost.model ? next : each)))}
              onRemove={() => setModels(models.filter(({ model }) => model !== cost.model))}
            />
          ))}
        </ul>
      )}
    </>
  );
}

export function CostFields({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const [isText, setIsText] = useState(false);
  const costs = parseCosts(form.costs);
  const error = errorOf("costs");
  const known = costs?.models.map(({ model }) => model) ?? [];
  const isJson = isText || costs === undefined;
  return (
    <>
      <div className={styles.intro}>
        <p>{t("channel-editor:costs.help")}</p>
        <FieldLink isDisabled={costs === undefined} onClick={() => setIsText(!isJson)}>
          {t(isJson ? "channel-editor:costs.asFields" : "channel-editor:costs.asJson")}
        </FieldLink>
      </div>
      {isJson ? (
        <JsonEditor
          label={t("channel-editor:costs.title")}
          isOptional
          value={form.costs}
          onChange={(text) => set({ costs: text })}
          template={COSTS_TEMPLATE}
          help={t("channel-editor:costs.jsonHelp")}
          error={typeof error === "string" ? error : undefined}
        />
      ) : (
        <>
          <VisualFields
            costs={costs}
            offered={upstreamModels(form.models, form.model_mapping, known)}
            isChecked={error !== undefined}
            onChange={(next) => set({ costs: costsText(next) })}
          />
          <FieldError error={error} />
        </>
      )}
    </>
  );
}
