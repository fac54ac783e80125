/** The filter row's parts: a search field that waits for a pause, and dashed chips that become solid when set. */
import { ActionIcon, CloseButton, Menu, Popover, TextInput } from "@mantine/core";
import { IconCheck, IconPlus, IconSearch, IconX } from "@tabler/icons-react";
import { type FormEvent, type ReactNode, useId, useState, useCallback, useEffect, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import type { HistoryStep } from "../../lib/search.ts";
import styles from "./filters.module.css";

const PAUSE_MS = 300;
/** Time after which a reported value must have come back; from then on the outside value counts. */
const ANSWER_MS = 1000;

/** Values that were reported and have not come back yet, oldest first. */
type Sent = string[];

/** Whether `value` is a value that was reported from here; if so, forgets it and all earlier ones. */
function takeEcho(sent: Sent, value: string): boolean {
  const index = sent.lastIndexOf(value);
  if (index === -1) return false;
  sent.splice(0, index + 1);
  return true;
}

/**
 * Typing is reported after a pause, trimmed, and not while an input method is composing. A change of `value` that does not come
 * from here (Back, a reset) is shown, unless something is being typed: then the typing wins when its pause is over.
 * @param value the current outside value
 */
function useTypedText(value: string, onChange: (value: string, step: HistoryStep) => void, pauseMs = PAUSE_MS) {
  const [text, setText] = useState(value);
  const isComposing = useRef(false);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const answer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef<Sent>([]);
  const held = useRef(value);

  const show = useCallback(() => {
    const isTyping = isComposing.current || pause.current !== undefined;
    if (isTyping || sent.current.length > 0) return;
    setText((old) => (old.trim() === held.current ? old : held.current));
  }, []);
  const stop = () => {
    clearTimeout(pause.current);
    pause.current = undefined;
  };
  const send = (next: string, step: HistoryStep) => {
    stop();
    if (next === held.current && sent.current.length === 0) return;
    sent.current.push(next);
    clearTimeout(answer.current);
    // The value never came back because another change replaced it.
    answer.current = setTimeout(() => {
      sent.current = [];
      show();
    }, ANSWER_MS);
    onChange(next, step);
  };
  const type = (next: string) => {
    stop();
    pause.current = setTimeout(() => send(next.trim(), "replace"), pauseMs);
  };
  useEffect(() => {
    held.current = value;
    if (takeEcho(sent.current, value)) return;
    sent.current = [];
    show();
  }, [value, show]);
  useEffect(
    () => () => {
      clearTimeout(pause.current);
      clearTimeout(answer.current);
    },
    [],
  );
  return {
    text,
    onInput: (next: string) => {
      setText(next);
      if (!isComposing.current) type(next);
    },
    onCompositionStart: () => {
      isComposing.current = true;
      stop();
    },
    onCompositionEnd: (next: string) => {
      isComposing.current = false;
      type(next);
    },
    /** Reports the typed text immediately, on Enter or blur. */
    handOn: () => {
      if (pause.current !== undefined) send(text.trim(), "replace");
    },
    /** Clears the field immediately and adds a history entry. */
    clear: () => {
      setText("");
      send("", "push");
    },
  };
}

/** @example <SearchFilter label={t("search")} value={list.filters.keyword ?? ""} onChange={(keyword, step) => list.setFilters({ keyword }, step)} /> */
export function SearchFilter({
  label,
  value,
  onChange,
  isOpened = false,
  pauseMs,
}: {
  label: string;
  value: string;
  /** Typing is reported after this pause; 300 where the server is asked, 0 for a list that is here already. */
  pauseMs?: number;
  /** `step`: typing replaces the current history entry, clearing adds one. */
  onChange: (value: string, step: HistoryStep) => void;
  /** A button has just revealed the field, so it takes the focus. */
  isOpened?: boolean;
}) {
  const { t } = useTranslation("ui");
  const typed = useTypedText(value, onChange, pauseMs);
  return (
    <TextInput
      size="xs"
      autoFocus={isOpened}
      className={styles.search ?? ""}
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed.text}
      leftSection={<IconSearch size={15} stroke={1.5} />}
      rightSection={typed.text && <CloseButton size="sm" aria-label={t("filter.clear")} onClick={typed.clear} />}
      onChange={(event) => typed.onInput(event.currentTarget.value)}
      onBlur={typed.handOn}
      onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && typed.handOn()}
      onCompositionStart={typed.onCompositionStart}
      onCompositionEnd={(event) => typed.onCompositionEnd(event.currentTarget.value)}
    />
  );
}

export interface FilterChoice {
  value: string;
  text: ReactNode;
}

/** The button of a filter: dashed with a plus until the filter is set, then with its value and a cross that removes it. */
export function Chip({
  label,
  shown,
  onClear,
  target,
}: {
  label: string;
  shown: ReactNode;
  onClear: () => void;
  target: (content: ReactNode) => ReactNode;
}) {
  const { t } = useTranslation("ui");
  const isSet = shown !== undefined;
  const content = isSet ? (
    <>
      {label} <b title={typeof shown === "string" ? shown : undefined}>{shown}</b>
    </>
  ) : (
    <>
      <IconPlus size={14} stroke={1.5} aria-hidden />
      {label}
    </>
  );
  return (
    <span className={styles.chip} data-is-set={isSet || undefined}>
      {target(content)}
      {isSet && (
        <button type="button" className={styles.off} aria-label={t("filter.remove", { label })} onClick={onClear}>
          <IconX size={13} stroke={1.5} />
        </button>
      )}
    </span>
  );
}

/** "+ Status": one of a list of values. @example <ChoiceFilter label={t("status")} choices={…} value={list.filters.status} onChange={(status) => list.setFilters({ status })} /> */
export function ChoiceFilter({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly FilterChoice[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const set = value === undefined ? undefined : (choices.find((choice) => choice.value === value)?.text ?? value);
  const drawn = (text: ReactNode) => (typeof text === "string" ? visible(text) : text);
  return (
    <Menu position="bottom-start">
      <Chip
        label={label}
        shown={drawn(set)}
        onClear={() => onChange(undefined)}
        target={(content) => (
          <Menu.Target>
            <button type="button" className={styles.part}>
              {content}
            </button>
          </Menu.Target>
        )}
      />
      <Menu.Dropdown>
        <div className={styles.choices}>
          {choices.map((choice) => (
            <Menu.Item
              key={choice.value}
              rightSection={choice.value === value && <IconCheck size={14} stroke={1.5} />}
              onClick={() => onChange(choice.value)}
            >
              {drawn(choice.text)}
            </Menu.Item>
          ))}
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  inputMode?: "numeric" | "text";
  /** Hint below the field. */
  hint?: string;
  /** Values that exist in the list, suggested while typing. */
  suggestions?: readonly string[];
}

/** The field itself: Enter applies it, and so does its button, for keyboards of phones that have no Enter. */
function TextForm({ label, value, onChange, inputMode = "text", hint, suggestions = [] }: TextFilterProps) {
  const { t } = useTranslation("ui");
  const [text, setText] = useState(value ?? "");
  const listId = useId();
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim() === "" ? undefined : text.trim());
  };
  return (
    <form onSubmit={apply}>
      <TextInput
        data-autofocus
        size="xs"
        className={styles.input ?? ""}
        aria-label={label}
        placeholder={label}
        inputMode={inputMode}
        {...(suggestions.length > 0 ? { list: listId } : {})}
        autoComplete="off"
        value={text}
        rightSection={
          <ActionIcon type="submit" variant="subtle" size={26} aria-label={t("filter.apply")}>
            <IconCheck size={15} stroke={1.5} />
          </ActionIcon>
        }
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
    </form>
  );
}

/** "+ Model": free text. @example <TextFilter label={t("model")} value={list.filters.model} onChange={(model) => list.setFilters({ model })} /> */
export function TextFilter(props: TextFilterProps) {
  const [isOpen, setIsOpen] = useState(false);
  const apply = (value: string | undefined) => {
    props.onChange(value);
    setIsOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
      <Chip
        label={props.label}
        shown={props.value === undefined ? undefined : visible(props.value)}
        onClear={() => props.onChange(undefined)}
        target={(content) => (
          <Popover.Target>
            <button type="button" className={styles.part} aria-haspopup="dialog" onClick={() => setIsOpen(!isOpen)}>
              {content}
            </button>
          </Popover.Target>
        )}
      />
      <Popover.Dropdown>
        <TextForm {...props} onChange={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}
