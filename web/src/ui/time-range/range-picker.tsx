/** Picks a time range: a preset period up to now, or a start and an end. The feature defines the presets and validates the bounds. */
import { Button, Popover } from "@mantine/core";
import { IconCalendar, IconCheck, IconChevronDown } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { FieldError } from "../form/fields.tsx";
import { LazyMomentField } from "../lazy-moment.tsx";
import type { Precision } from "./moment-text.ts";
import styles from "./range-picker.module.css";

/** A preset period that ends now. */
interface PresetChoice<Preset> {
  id: Preset;
  text: string;
}

interface RangePickerProps<Preset> {
  /** The chosen range in words. */
  text: string;
  words: { button: string; presets: string; from: string; to: string; apply: string };
  presets: readonly PresetChoice<Preset>[];
  /** Undefined while a start and an end are chosen. */
  chosen: Preset | undefined;
  onPreset: (preset: Preset) => void;
  /** Whether the bounds are days or days with a time. */
  precision: Precision;
  /** Initial values of the fields. */
  bounds: { from: string; to: string };
  /** Applies the two bounds as the fields wrote them. Returns an error message where they are invalid. */
  onBounds: (from: string, to: string) => string | undefined;
  /** The edge of the button with which the panel is aligned. */
  align: "start" | "end";
}

export function RangePicker<Preset extends string>(props: RangePickerProps<Preset>) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position={`bottom-${props.align}`} trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={styles.button}
          aria-haspopup="dialog"
          aria-label={props.words.button}
          leftSection={<IconCalendar size={15} stroke={1.5} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.5} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {props.text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={props.words.presets}>
        <div className={styles.panel}>
          <Presets {...props} onPicked={close} />
          <Bounds {...props} onApplied={close} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function Presets<Preset extends string>(props: RangePickerProps<Preset> & { onPicked: () => void }) {
  const pick = (preset: Preset) => {
    props.onPreset(preset);
    props.onPicked();
  };
  return (
    <div className={styles.presets} role="group" aria-label={props.words.presets}>
      {props.presets.map(({ id, text }) => (
        <button
          key={id}
          type="button"
          className={styles.preset}
          aria-pressed={id === props.chosen}
          onClick={() => pick(id)}
        >
          <span>{text}</span>
          {id === props.chosen && <IconCheck size={14} stroke={1.5} aria-hidden />}
        </button>
      ))}
    </div>
  );
}

function Bounds<Preset>(props: RangePickerProps<Preset> & { onApplied: () => void }) {
  const { words } = props;
  const [from, setFrom] = useState(props.bounds.from);
  const [to, setTo] = useState(props.bounds.to);
  const [error, setError] = useState<string>();
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const found = props.onBounds(from, to);
    setError(found);
    if (found === undefined) props.onApplied();
  };
  return (
    <form className={styles.bounds} onSubmit={apply} noValidate>
      <LazyMomentField size="xs" precision={props.precision} label={words.from} value={from} onChange={setFrom} />
      <LazyMomentField size="xs" precision={props.precision} label={words.to} value={to} onChange={setTo} />
      <FieldError error={error} />
      <Button type="submit">{words.apply}</Button>
    </form>
  );
}
