/** The form of the studio: kind, model, prompt and options, with the cost before it is sent. */
import { IconSparkles } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { type TFunction, useTranslation } from "../../../lib/i18n.ts";
import { formatQuota } from "../../../lib/format.ts";
import { shownShortage } from "../../../lib/shortage.ts";
import { useStatus } from "../../../lib/status.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import {
  choicesOf,
  fittingOptions,
  FIRST_OPTIONS,
  type Options,
  priceOf,
  STUDIO_KINDS,
  type StudioKind,
  type StudioModel,
  type Wish,
} from "../model/studio.ts";
import { make, NotMade } from "./make.ts";
import styles from "./studio.module.css";

/** The draft; a press of "use again" replaces it. */
export interface Draft extends Wish {
  model: string;
}

export const EMPTY_DRAFT: Draft = { model: "", prompt: "", options: FIRST_OPTIONS };

/** Small amounts need their decimals, and a price is money in the currency shown. */
const PRICE_DECIMALS = 4;
const PROMPT_MOST = 4000;

function PriceOf({ model, wish }: { model: StudioModel; wish: Wish }) {
  const { t } = useTranslation("tasks.studio");
  const { quota_per_unit } = useStatus();
  if (!model.entry.has_price) return <span>{t("price.none")}</span>;
  const price = priceOf(model, wish);
  if (price === undefined) return <span>{t("price.byTokens")}</span>;
  const amount = formatQuota(price.usd * quota_per_unit, PRICE_DECIMALS);
  return <span className={styles.price}>{t(price.isExact ? "price.exact" : "price.about", { amount })}</span>;
}

function Choice<Value extends string | number>({
  label,
  values,
  text,
  value,
  onChange,
}: {
  label: string;
  values: readonly Value[];
  text: (value: Value) => string;
  value: Value;
  onChange: (value: Value) => void;
}) {
  if (values.length < 2) return null;
  return (
    <ChoiceOnUse
      isBare
      label={label}
      choices={values.map((each) => ({ value: String(each), text: text(each) }))}
      value={String(value)}
      onChange={(next) => onChange(values.find((each) => String(each) === next) ?? value)}
    />
  );
}

/** Options of the model. */
function OptionsOf({
  model,
  options,
  onChange,
}: {
  model: StudioModel;
  options: Options;
  onChange: (options: Options) => void;
}) {
  const { t } = useTranslation("tasks.studio");
  const { sizes, counts, voices, seconds } = choicesOf(model);
  const change = (more: Partial<Options>) => onChange({ ...options, ...more });
  return (
    <>
      <Choice
        label={t("option.size")}
        values={sizes}
        text={(size) => size.replace("x", " × ")}
        value={options.size}
        onChange={(size) => change({ size })}
      />
      <Choice
        label={t("option.count")}
        values={counts}
        text={(count) => t("option.pictures", { count })}
        value={options.count}
        onChange={(count) => change({ count })}
      />
      <Choice
        label={t("option.voice")}
        values={voices}
        text={(voice) => voice}
        value={options.voice}
        onChange={(voice) => change({ voice })}
      />
      <Choice
        label={t("option.seconds")}
        values={seconds}
        text={(each) => t("option.secondsOf", { count: each })}
        value={options.seconds}
        onChange={(each) => change({ seconds: each })}
      />
      {model.way === "song" && (
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={options.isLyrics}
            onChange={({ currentTarget }) => change({ isLyrics: currentTarget.checked })}
          />
          {t("option.isLyrics")}
        </label>
      )}
    </>
  );
}

/** Failures of which the page knows more than the server said. */
const OWN_WORDS = ["unreachable", "not_logged_in", "insufficient_user_quota", "no_picture"] as const;

function failureWords(error: unknown, t: TFunction): string {
  const { code, shortage } = error instanceof NotMade ? error : { code: "", shortage: undefined };
  if (shortage !== undefined)
    return t(shortage.left === undefined ? "failure.needs" : "failure.lacks", shownShortage(shortage));
  const own = OWN_WORDS.find((each) => each === code);
  if (own !== undefined) return t(`failure.${own}`);
  return error instanceof Error ? error.message : String(error);
}

function Failed({ error }: { error: unknown }) {
  const { t } = useTranslation("tasks.studio");
  const code = error instanceof NotMade ? error.code : "";
  const own = OWN_WORDS.find((each) => each === code);
  return (
    <Notice tone="red">
      {failureWords(error, t)} {own === "insufficient_user_quota" && <Link to="/topup">{t("topUp")}</Link>}
      {own === "not_logged_in" && (
        <Link to="/login" search={{ next: "/studio" }}>
          {t("logIn")}
        </Link>
      )}
    </Notice>
  );
}

function useMaking(onMade: () => void) {
  const [count, setCount] = useState(0);
  const [error, setError] = useState<unknown>();
  const start = async (model: StudioModel, wish: Wish) => {
    setCount((now) => now + 1);
    setError(undefined);
    try {
      await make(model, wish);
      onMade();
    } catch (failure) {
      setError(failure);
    } finally {
      setCount((now) => now - 1);
    }
  };
  return { isBusy: count > 0, error, start };
}

interface MakerProps {
  models: readonly StudioModel[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onMade: () => void;
}

/** The kind whose model is chosen, and how to choose another. */
function useChosen({ models, draft, onDraft }: Omit<MakerProps, "onMade">) {
  const model = models.find(({ name }) => name === draft.model) ?? models[0];
  const kinds = STUDIO_KINDS.filter((kind) => models.some((each) => each.kind === kind));
  const choose = (name: string | undefined) => {
    const next = models.find((each) => each.name === name);
    if (next !== undefined) onDraft({ ...draft, model: next.name, options: fittingOptions(next, draft.options) });
  };
  const options = model === undefined ? draft.options : fittingOptions(model, draft.options);
  return { model, kinds, choose, wish: { prompt: draft.prompt.trim(), options } };
}

type Chosen = ReturnType<typeof useChosen> & { model: StudioModel };

/** The kind, and the model of it. */
function Head({ models, chosen }: { models: readonly StudioModel[]; chosen: Chosen }) {
  const { t } = useTranslation("tasks.studio");
  const { model, kinds, choose } = chosen;
  const ofKind = models.filter(({ kind }) => kind === model.kind);
  return (
    <div className={styles.makerHead}>
      <Segmented<StudioKind>
        label={t("kindLabel")}
        options={kinds.map((value) => ({ value, text: t(`kind.${value}`) }))}
        value={model.kind}
        onChange={(kind) => choose(models.find((each) => each.kind === kind)?.name)}
      />
      <ChoiceOnUse
        isBare
        label={t("model")}
        choices={ofKind.map(({ name }) => ({
          value: name,
          text: name,
          content: (
            <span className={styles.model}>
              <ModelMark model={name} size={16} />
              <span className="mono">{name}</span>
            </span>
          ),
        }))}
        value={model.name}
        onChange={choose}
      />
    </div>
  );
}

/** The prompt; Ctrl and Enter send it. */
function Prompt({
  text,
  placeholder,
  isMissing,
  onText,
  onSend,
}: {
  text: string;
  placeholder: string;
  isMissing: boolean;
  onText: (text: string) => void;
  onSend: () => void;
}) {
  const { t } = useTranslation("tasks.studio");
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <>
      <textarea
        className={styles.prompt}
        rows={3}
        aria-label={t("prompt")}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${id}-missing` : undefined}
        placeholder={placeholder}
        maxLength={PROMPT_MOST}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isMissing && (
        <p className={styles.missing} id={`${id}-missing`} role="alert">
          {t("promptMissing")}
        </p>
      )}
    </>
  );
}

export function Maker(props: MakerProps) {
  const { models, draft, onDraft, onMade } = props;
  const chosen = useChosen(props);
  const { isBusy, error, start } = useMaking(onMade);
  const { model } = chosen;
  if (model === undefined) return null;
  return (
    <Form
      models={models}
      draft={draft}
      onDraft={onDraft}
      chosen={{ ...chosen, model }}
      isBusy={isBusy}
      error={error}
      onSend={(wish) => void start(model, wish)}
    />
  );
}

function Form({
  models,
  draft,
  onDraft,
  chosen,
  isBusy,
  error,
  onSend,
}: Omit<MakerProps, "onMade"> & {
  chosen: Chosen;
  isBusy: boolean;
  error: unknown;
  onSend: (wish: Wish) => void;
}) {
  const { t } = useTranslation("tasks.studio");
  const [isMissing, setIsMissing] = useState(false);
  const { model, wish } = chosen;
  const send = () => {
    setIsMissing(wish.prompt === "");
    if (wish.prompt !== "" && !isBusy) onSend(wish);
  };
  const change = (options: Options) => onDraft({ ...draft, model: model.name, options });
  const isSung = model.way === "song" && wish.options.isLyrics;
  return (
    <section className={styles.maker} aria-label={t("maker")}>
      <Head models={models} chosen={chosen} />
      <Prompt
        text={draft.prompt}
        placeholder={t(isSung ? "placeholder.lyrics" : `placeholder.${model.kind}`)}
        isMissing={isMissing}
        onText={(prompt) => {
          setIsMissing(false);
          onDraft({ ...draft, model: model.name, prompt });
        }}
        onSend={send}
      />
      {isSung && (
        <input
          className={styles.style}
          aria-label={t("option.style")}
          placeholder={t("option.style")}
          value={wish.options.style}
          maxLength={200}
          onChange={({ currentTarget }) => change({ ...wish.options, style: currentTarget.value })}
        />
      )}
      {error !== undefined && <Failed error={error} />}
      <div className={styles.makerFoot}>
        <div className={styles.options}>
          <OptionsOf model={model} options={wish.options} onChange={change} />
        </div>
        <p className={styles.cost}>
          <PriceOf model={model} wish={wish} />
        </p>
        <BusyButton
          variant="filled"
          isBusy={isBusy}
          leftSection={<IconSparkles size={15} stroke={1.5} aria-hidden />}
          onClick={send}
        >
          {t(`make.${model.kind}`)}
        </BusyButton>
      </div>
    </section>
  );
}
