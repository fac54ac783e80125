/** "+ Model": one of the values that occur in the range, with their calls, or whatever has the typed text in its name. */
import { Popover, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LogFacet } from "../../../../contract/src/features/logs.ts";
import { formatShort } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Chip } from "../../ui/data-table/filters.tsx";
import filterStyles from "../../ui/data-table/filters.module.css";
import { Name } from "../../ui/display/name.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { appliedText, containedText, type FacetValue, valuesWith } from "./model/facet-choice.ts";
import styles from "./facet-filter.module.css";
import { facetQuery, type LogView } from "./queries.ts";

interface FacetFilterProps {
  view: LogView;
  field: LogFacet;
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Arrow keys go from the field through the values and back. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, [data-choice]")];
  const next = stops.indexOf(document.activeElement as HTMLElement) + step;
  stops[Math.min(Math.max(next, 0), stops.length - 1)]?.focus();
}

function Choice({ each, onPick }: { each: FacetValue; onPick: (value: string) => void }) {
  return (
    <button type="button" data-choice className={styles.choice} onClick={() => onPick(each.value)}>
      <span className={styles.name} title={visible(each.name || each.value)}>
        {each.name === "" ? (
          <Name text={each.value} />
        ) : (
          <>
            #{each.value} {<Name text={each.name} />}
          </>
        )}
      </span>
      <Faint>{formatShort(each.calls)}</Faint>
    </button>
  );
}

/** What is said in place of values, or below them. */
function useNote({
  isPending,
  isError,
  count,
  isCut,
}: {
  isPending: boolean;
  isError: boolean;
  count: number;
  isCut: boolean;
}) {
  const { t } = useTranslation("logs");
  if (isError) return t("facet.failed");
  if (isPending) return t("facet.loading");
  if (count === 0) return t("facet.none");
  return isCut ? t("facet.cut") : undefined;
}

function Choices({ view, field, label, value, onChange }: FacetFilterProps) {
  const { t } = useTranslation("logs");
  const [text, setText] = useState(containedText(value));
  const form = useRef<HTMLFormElement>(null);
  const { data, isPending, isError } = useQuery(facetQuery(view, field, true));
  const shown = valuesWith(data?.values ?? [], text);
  const note = useNote({ isPending, isError, count: shown.length, isCut: data?.is_cut === true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(appliedText(field, text, data?.values ?? []));
  };
  return (
    <form ref={form} onSubmit={submit} onKeyDown={onArrow} className={styles.choices}>
      <TextInput
        data-autofocus
        size="xs"
        aria-label={label}
        placeholder={t("facet.placeholder")}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className={styles.list} aria-busy={isPending}>
        {shown.map((each) => (
          <Choice key={each.value} each={each} onPick={onChange} />
        ))}
      </div>
      {note !== undefined && <p className={filterStyles.hint}>{note}</p>}
      {text.trim() !== "" && (
        <button type="submit" data-choice className={styles.choice}>
          {t("facet.apply", { text: text.trim() })}
        </button>
      )}
    </form>
  );
}

function useShown({ view, field, value }: FacetFilterProps): string | undefined {
  const { t } = useTranslation("logs");
  const known = useQuery(facetQuery(view, field, false)).data;
  if (value === undefined) return undefined;
  if (field === "channel")
    return [`#${value}`, known?.values.find((each) => each.value === value)?.name].filter(Boolean).join(" ");
  const part = containedText(value);
  return value === `%${part}%` ? t("facet.contains", { text: part }) : visible(value);
}

/** @example <FacetFilter view={view} field="model" label={t("filter.model")} value={filters.model_name} onChange={(model_name) => setFilters({ model_name })} /> */
export function FacetFilter(props: FacetFilterProps) {
  const [isOpen, setIsOpen] = useState(false);
  const shown = useShown(props);
  const apply = (value: string | undefined) => {
    props.onChange(value);
    setIsOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
      <Chip
        label={props.label}
        shown={shown}
        onClear={() => props.onChange(undefined)}
        target={(content) => (
          <Popover.Target>
            <button
              type="button"
              className={filterStyles.part}
              aria-haspopup="dialog"
              onClick={() => setIsOpen(!isOpen)}
            >
              {content}
            </button>
          </Popover.Target>
        )}
      />
      <Popover.Dropdown>
        <Choices {...props} onChange={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}
