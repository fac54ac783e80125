/** The models of a channel: pills of which ten show, a field that adds one or many, and links that fill it. */
import { Combobox, Pill, PillsInput, useCombobox } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import {
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { Field, FieldLink, FieldLinks } from "../../../ui/form/fields.tsx";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import { usePendingText } from "../../../ui/form/pending-text.ts";
import styles from "./editor.module.css";
import { addModels, MODELS_SHOWN, suggestModels } from "../model/models.ts";

export interface ModelsFieldProps {
  models: readonly string[];
  onChange: (models: readonly string[]) => void;
  /** Names to offer while typing. */
  known: readonly string[];
  /** Links before 'Clear'. */
  links?: ReactNode;
  /** Those whose calls are refused because they have no price. */
  unpriced?: ReadonlySet<string>;
  error?: ReactNode;
  help?: ReactNode;
  isOptional?: boolean;
}

const NAMES_IN_NOTE = 3;
const NONE: ReadonlySet<string> = new Set();

const SETTINGS = "/setting?tab=operation&section=";
const priceAddress = (model: string): string => `${SETTINGS}prices&model=${encodeURIComponent(model)}`;

/** "No price: calls to them are refused. Set a price: a, b and 3 more", each name a link to its place in the price editor, the rest one to their list. */
function UnpricedLine({ models }: { models: readonly string[] }) {
  const { t } = useTranslation("channels");
  if (models.length === 0) return null;
  const rest = models.length - NAMES_IN_NOTE;
  return (
    <p className={styles.unpricedLine} role="status">
      {t("form.unpricedLine", { count: models.length })}
      {models.slice(0, NAMES_IN_NOTE).map((model, index) => (
        <Fragment key={model}>
          {index > 0 && t("form.comma")}
          {/* Another tab: what is typed here stays. */}
          <a href={priceAddress(model)} target="_blank" rel="noreferrer" className="mono">
            {visible(model)}
          </a>
        </Fragment>
      ))}
      {rest > 0 && (
        <>
          {" "}
          <a href={`${SETTINGS}unpriced_models`} target="_blank" rel="noreferrer">
            {t("form.unpricedMore", { count: rest })}
          </a>
        </>
      )}
    </p>
  );
}

function PillText({ model, isUnpriced }: { model: string; isUnpriced: boolean }) {
  const { t } = useTranslation("channels");
  if (!isUnpriced) return <span className="mono">{model}</span>;
  return (
    <span className={`mono ${styles.unpriced}`} title={t("form.unpriced")}>
      <IconAlertTriangle size={12} stroke={1.8} aria-hidden />
      {model}
      <span className="tp-visually-hidden">: {t("form.unpriced")}</span>
    </span>
  );
}

/** The pills, ten of them until the rest is asked for; all where they can only be read. */
function Pills({
  models,
  unpriced,
  onRemove,
}: {
  models: readonly string[];
  unpriced: ReadonlySet<string>;
  onRemove: (model: string) => void;
}) {
  const { t } = useTranslation("channels");
  const [isWhole, setIsWhole] = useState(false);
  const isLocked = useIsLocked();
  const shown = isWhole || isLocked ? models : models.slice(0, MODELS_SHOWN);
  return (
    <>
      {shown.map((model) => (
        <Pill
          key={model}
          withRemoveButton={!isLocked}
          removeButtonProps={{ "aria-label": t("form.removeModel", { model }), tabIndex: 0, "aria-hidden": undefined }}
          onRemove={() => onRemove(model)}
        >
          <PillText model={model} isUnpriced={unpriced.has(model)} />
        </Pill>
      ))}
      {models.length > MODELS_SHOWN && !isLocked && (
        <button type="button" className={styles.morePills} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t("form.showFewer") : t("form.showAll", { count: models.length - MODELS_SHOWN })}
        </button>
      )}
    </>
  );
}

/** Names that fit what is typed. */
function Offered({ models, typed }: { models: readonly string[]; typed: string }) {
  const { t } = useTranslation("channels");
  return (
    <Combobox.Dropdown hidden={models.length === 0}>
      <Combobox.Options className={styles.options ?? ""}>
        {models.map((model) => (
          <Combobox.Option key={model} value={model} className="mono" onMouseDown={(event) => event.preventDefault()}>
            {model}
          </Combobox.Option>
        ))}
        {!models.includes(typed) && (
          <Combobox.Option value={typed} onMouseDown={(event) => event.preventDefault()}>
            {t("form.addAsTyped", { name: typed })}
          </Combobox.Option>
        )}
      </Combobox.Options>
    </Combobox.Dropdown>
  );
}

/** What is typed, what is offered for it, and what becomes of it: Enter takes the first name offered, or the text where none fits. */
function useTypedModels(models: readonly string[], known: readonly string[], onChange: ModelsFieldProps["onChange"]) {
  const { t } = useTranslation("channels");
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const offersFor = (text: string) => (text.trim() === "" ? [] : suggestModels(known, models, text));
  const offered = offersFor(typed);
  const leftOver = usePendingText(typed);
  const first = useEffectEvent(() => {
    if (offered.length > 0) combobox.selectFirstOption();
  });
  // Once the names for it are drawn.
  useEffect(() => first(), [typed]);

  const add = (text: string) => {
    const result = addModels(models, [text]);
    setTyped("");
    combobox.closeDropdown();
    setNote(
      result.known.length === 0 ? "" : t("form.someKnown", { names: result.known.slice(0, NAMES_IN_NOTE).join(", ") }),
    );
    if (result.added > 0) onChange(result.models);
  };
  const type = (text: string) => {
    setNote("");
    if (/[,\n]/.test(text)) return add(text);
    setTyped(text);
    combobox.resetSelectedOption();
    // An open list takes the first Escape, so it is open only while there is one to see.
    if (offersFor(text).length > 0) combobox.openDropdown();
    else combobox.closeDropdown();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (
      event.key === "Enter" &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.nativeEvent.isComposing &&
      combobox.getSelectedOptionIndex() === -1
    ) {
      event.preventDefault();
      if (typed.trim() !== "") add(typed);
    }
    if (event.key === "Backspace" && typed === "" && models.length > 0 && models.length <= MODELS_SHOWN)
      onChange(models.slice(0, -1));
  };
  return { combobox, typed, note, leftOver, offered, add, type, onKeyDown };
}

export function ModelsField({
  models,
  onChange,
  known,
  links,
  unpriced = NONE,
  error,
  help,
  isOptional = false,
}: ModelsFieldProps) {
  const { t } = useTranslation("channels");
  const id = useId();
  const { combobox, typed, note, leftOver, offered, add, type, onKeyDown } = useTypedModels(models, known, onChange);
  const shownError = leftOver ?? error;
  const isLocked = useIsLocked();
  const field = useRef<HTMLInputElement>(null);
  /** The button that was pressed goes away or goes dead: the focus stays in the field. */
  const takeOut = (left: readonly string[]) => {
    field.current?.focus();
    onChange(left);
  };
  const side = (
    <FieldLinks>
      {links}
      <FieldLink isQuiet isDisabled={models.length === 0} onClick={() => takeOut([])}>
        {t("form.clear")}
      </FieldLink>
    </FieldLinks>
  );
  return (
    <Field
      label={t("form.models")}
      htmlFor={id}
      isOptional={isOptional}
      side={side}
      error={shownError}
      help={note === "" ? help : note}
    >
      <Combobox store={combobox} onOptionSubmit={add} withinPortal>
        <Combobox.DropdownTarget>
          <PillsInput className={styles.pills ?? ""} error={Boolean(shownError)} withErrorStyles size="sm">
            <Pill.Group>
              <Pills
                models={models}
                unpriced={unpriced}
                onRemove={(model) => takeOut(models.filter((other) => other !== model))}
              />
              <Combobox.EventsTarget>
                <PillsInput.Field
                  ref={field}
                  id={id}
                  data-field="models"
                  aria-labelledby={`${id}-label`}
                  className={styles.pillsField ?? ""}
                  placeholder={isLocked ? "" : t("form.addModel")}
                  aria-invalid={Boolean(shownError)}
                  value={typed}
                  onChange={(event) => type(event.currentTarget.value)}
                  onPaste={(event) => {
                    const text = event.clipboardData.getData("text");
                    if (!/[,\n]/.test(text)) return;
                    event.preventDefault();
                    add(text);
                  }}
                  onKeyDown={onKeyDown}
                  onBlur={() => combobox.closeDropdown()}
                />
              </Combobox.EventsTarget>
            </Pill.Group>
          </PillsInput>
        </Combobox.DropdownTarget>
        <Offered models={offered} typed={typed.trim()} />
      </Combobox>
      <UnpricedLine models={models.filter((model) => unpriced.has(model))} />
    </Field>
  );
}
