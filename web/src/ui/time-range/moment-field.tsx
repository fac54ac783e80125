/** A field for a day, or a day with a time, typed as 2026-11-21 15:32 in every language; the browser's calendar is one press away. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { momentText, momentValue, onDay, type Precision, type Stepped, stepped, UNREADABLE } from "./moment-text.ts";
import styles from "./moment-field.module.css";

/** The typed text, apart from the value: half a time has none. Follows a value that comes from elsewhere. */
function useTyped(value: string, precision: Precision): [string, (text: string) => void] {
  const [typed, setTyped] = useState(momentText(value));
  const own = momentValue(typed, precision);
  const text = momentText(value);
  // Some forms keep nothing of what is no time.
  const isOwn = own === UNREADABLE ? value === UNREADABLE || value === "" : own === momentValue(text, precision);
  if (isOwn) return [typed, setTyped];
  setTyped(text);
  return [text, setTyped];
}

interface CalendarProps {
  input: RefObject<HTMLInputElement | null>;
  /** The day that it opens at; "" for today. */
  day: string;
  onDay: (day: string) => void;
}

/** The browser's own calendar, or a phone's wheel, behind a button; it has days alone, so that no other clock comes back by it. */
function Calendar({ input, day, onDay: pick }: CalendarProps) {
  const { t } = useTranslation("ui");
  return (
    <span className={styles.calendar}>
      <input
        ref={input}
        className={styles.days}
        type="date"
        tabIndex={-1}
        aria-hidden
        value={day}
        onChange={({ currentTarget: { value } }) => value !== "" && pick(value)}
      />
      <button
        type="button"
        tabIndex={-1}
        className={styles.open}
        aria-label={t("moment.calendar")}
        onClick={() => input.current?.showPicker()}
      >
        <IconCalendar size={15} stroke={1.5} aria-hidden />
      </button>
    </span>
  );
}

interface MomentFieldProps extends Omit<TextInputProps, "value" | "onChange" | "type"> {
  precision?: Precision;
  /** "2026-11-21T15:32", or "2026-11-21" for a day; "" for none. */
  value: string;
  /** Gets such a value, "" for a blank field, and `UNREADABLE` for what is no time. */
  onChange: (value: string) => void;
}

/** Arrow keys step the part at the caret, Alt and the arrow down open the calendar. */
export function MomentField({ precision = "minute", value, onChange, error, ...rest }: MomentFieldProps) {
  const { t } = useTranslation("ui");
  const [text, setText] = useTyped(value, precision);
  const [isLeft, setIsLeft] = useState(false);
  const [part, setPart] = useState<Stepped>();
  const input = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (part !== undefined) input.current?.setSelectionRange(part.start, part.end);
  }, [part]);
  const type = (next: string) => {
    setText(next);
    onChange(momentValue(next, precision));
  };
  const own = momentValue(text, precision);
  const known = own === UNREADABLE ? "" : own;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.altKey) return calendar.current?.showPicker();
    const next = stepped(text, event.currentTarget.selectionStart ?? 0, event.key === "ArrowUp" ? 1 : -1, precision);
    if (next === undefined) return;
    type(next.text);
    setPart(next);
  };
  return (
    <TextInput
      {...rest}
      ref={input}
      autoComplete="off"
      spellCheck={false}
      maxLength={40}
      placeholder={t(`moment.${precision}`)}
      value={text}
      error={error ?? (isLeft && own === UNREADABLE ? t(`moment.not.${precision}`) : undefined)}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onFocus={() => setIsLeft(false)}
      onBlur={() => {
        setIsLeft(true);
        if (own !== UNREADABLE) setText(momentText(own));
      }}
      rightSection={
        <Calendar
          input={calendar}
          day={known.slice(0, 10)}
          onDay={(day) => type(momentText(onDay(known, day, precision)))}
        />
      }
    />
  );
}
