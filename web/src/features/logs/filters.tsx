/** The log's filter row: a request id, time, type, then a chip for each thing to search by. */
import { Popover, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState, type FormEvent, type KeyboardEvent, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { LogFacet } from "../../../../contract/src/logs/sums.ts";
import { LOG_VIEW_FILTERS } from "../../../../contract/src/logs/filters.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { useStatus } from "../../lib/status.ts";
import { ChoiceFilter, SearchFilter, Chip } from "../../ui/data-table/filters.tsx";
import type { ListState } from "../../ui/data-table/list-state.ts";
import { Quota } from "../../ui/display/quota.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import { IconButton } from "../../ui/plain.tsx";
import type { Preset } from "../../ui/time-range/range.ts";
import { TimeRangeFilter } from "../../ui/time-range/time-range.tsx";
import styles from "./logs.module.css";
import { EVERY_TYPE } from "./model/log-row.ts";
import { type LogView, facetQuery } from "./queries.ts";
import { formatShort } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import filterStyles from "../../ui/data-table/filters.module.css";
import { Name } from "../../ui/display/name.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { appliedText, containedText, type FacetValue, valuesWith } from "./model/facet-choice.ts";
import facetFilterStyles from "./facet-filter.module.css";

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
    <button type="button" data-choice className={facetFilterStyles.choice} onClick={() => onPick(each.value)}>
      <span className={facetFilterStyles.name} title={visible(each.name || each.value)}>
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

/** The text in place of values, or below them. */
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
    <form ref={form} onSubmit={submit} onKeyDown={onArrow} className={facetFilterStyles.choices}>
      <TextInput
        data-autofocus
        size="xs"
        aria-label={label}
        placeholder={t("facet.placeholder")}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className={facetFilterStyles.list} aria-busy={isPending}>
        {shown.map((each) => (
          <Choice key={each.value} each={each} onPick={onChange} />
        ))}
      </div>
      {note !== undefined && <p className={filterStyles.hint}>{note}</p>}
      {text.trim() !== "" && (
        <button type="submit" data-choice className={facetFilterStyles.choice}>
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
function FacetFilter(props: FacetFilterProps) {
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

/** The recent periods to choose from, and the one the page opens with. */
const PRESETS: readonly Preset[] = ["hour", "today", "yesterday", "day", "week", "month"];
export const DEFAULT_PRESET: Preset = "today";

/** Their names in the address. `request_id` stands alone: while it is set, the others rest. */
export const FILTERS = LOG_VIEW_FILTERS;
export type LogList = ListState<(typeof FILTERS)[number]>;

/** The page opens on calls, answered and failed; what the system did itself is one click away. */
const TYPES = [
  ["", "calls"],
  [String(LOG_TYPE.consumption), "usage"],
  [String(LOG_TYPE.error), "errors"],
  [EVERY_TYPE, "all"],
  [String(LOG_TYPE.topUp), "topUps"],
  [String(LOG_TYPE.admin), "admin"],
  [String(LOG_TYPE.system), "system"],
] as const;
/** Number of chips in a row; the others are behind a chip, and beside them once chosen. */
const TYPES_IN_ROW = 4;

/** Narrower than this all types are a chip like the others. */
const TYPES_QUERY = "(min-width: 1200px)";

/** @param isOpen all types were asked for */
function TypeFilter({ list, isOpen }: { list: LogList; isOpen: boolean }) {
  const { t } = useTranslation("logs");
  const isWide = useMediaQuery(TYPES_QUERY, true, { getInitialValueInEffect: false }) ?? true;
  const onChange = (type: string | undefined) => list.setFilters({ type });
  const chosen = list.filters.type ?? "";
  const options = TYPES.map(([value, name]) => ({ value, text: t(`types.${name}`) }));
  const inRow = options.filter(({ value }, index) => isWide && (index < TYPES_IN_ROW || value === chosen));
  const others = options.filter((option) => option.value !== "" && !inRow.includes(option));
  return (
    <>
      {isWide && (
        <Segmented
          label={t("filter.type")}
          options={inRow}
          value={inRow.find(({ value }) => value === chosen)?.value ?? ""}
          onChange={onChange}
        />
      )}
      {(!isWide || isOpen) && (
        <ChoiceFilter
          label={t(isWide ? "filter.otherType" : "filter.type")}
          choices={others}
          value={isWide ? undefined : others.find(({ value }) => value === chosen)?.value}
          onChange={onChange}
        />
      )}
    </>
  );
}

/** An id as people paste it, with blanks and line ends. */
const withoutBlanks = (id: string): string | undefined => id.replaceAll(/\s/g, "") || undefined;

function RequestIdFilter({ list }: { list: LogList }) {
  const { t } = useTranslation("logs");
  return (
    <div className={styles.requestIdFilter}>
      <SearchFilter
        label={t("filter.requestId")}
        value={list.filters.request_id ?? ""}
        onChange={(id, step) => list.setFilters({ request_id: withoutBlanks(id) }, step)}
      />
    </div>
  );
}

interface LogFiltersProps {
  list: LogList;
  view: LogView;
  askedAtMs: number;
}

export function LogFilters({ list, view, askedAtMs }: LogFiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <RequestIdFilter list={list} />
      {list.filters.request_id === undefined && (
        <>
          <TimeRangeFilter
            range={view.range}
            presets={PRESETS}
            fallback={DEFAULT_PRESET}
            askedAtMs={askedAtMs}
            onChange={(range) => list.setFilters(range)}
          />
          <TypeFilter list={list} isOpen={isOpen} />
          <Facets list={list} view={view} />
          <MoreFilters list={list} view={view} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
        </>
      )}
    </>
  );
}

interface FacetPlace {
  field: LogFacet;
  filter: (typeof FILTERS)[number];
  text: string;
  isForAdmins?: true;
}

const FACETS: readonly FacetPlace[] = [
  { field: "model", filter: "model_name", text: "filter.model" },
  { field: "token", filter: "token_name", text: "filter.token" },
  { field: "user", filter: "username", text: "filter.user", isForAdmins: true },
  { field: "channel", filter: "channel", text: "filter.channel", isForAdmins: true },
];
const MORE_FACETS: readonly FacetPlace[] = [
  { field: "group", filter: "group", text: "filter.group" },
  { field: "error_code", filter: "error_code", text: "filter.errorCode" },
];

type FilterProps = Pick<LogFiltersProps, "list" | "view">;

function Facets({ list, view, places = FACETS }: FilterProps & { places?: readonly FacetPlace[] }) {
  const { t } = useTranslation("logs");
  return places
    .filter(({ isForAdmins }) => view.isAdmin || isForAdmins !== true)
    .map(({ field, filter, text }) => (
      <FacetFilter
        key={field}
        view={view}
        field={field}
        label={t(text)}
        value={list.filters[filter]}
        onChange={(value) => list.setFilters({ [filter]: value })}
      />
    ));
}

/** With the table of programs, which few ask for. */
const ClientFilter = lazy(async () => ({ default: (await import("./client.tsx")).ClientFilter }));

const SLOW_S = [3, 10, 30, 101, 300] as const;
const COSTS_USD = [0.01, 0.1, 1, 10] as const;

/** The other filters: those in force are in sight, all of them once they were asked for. */
function MoreFilters({ list, view, isOpen, onToggle }: FilterProps & { isOpen: boolean; onToggle: () => void }) {
  const { t } = useTranslation("logs");
  const { quota_per_unit } = useStatus();
  const { filters, setFilters } = list;
  const isShown = (name: (typeof FILTERS)[number]) => isOpen || filters[name] !== undefined;
  return (
    <>
      <Facets list={list} view={view} places={MORE_FACETS.filter(({ filter }) => isShown(filter))} />
      {isShown("min_time_ms") && (
        <ChoiceFilter
          label={t("filter.slower")}
          choices={SLOW_S.map((seconds) => ({ value: String(seconds * 1000), text: t("filter.seconds", { seconds }) }))}
          value={filters.min_time_ms}
          onChange={(min_time_ms) => setFilters({ min_time_ms })}
        />
      )}
      {isShown("min_quota") && (
        <ChoiceFilter
          label={t("filter.cost")}
          choices={COSTS_USD.map((usd) => Math.round(usd * quota_per_unit)).map((quota) => ({
            value: String(quota),
            text: <Quota quota={quota} />,
          }))}
          value={filters.min_quota}
          onChange={(min_quota) => setFilters({ min_quota })}
        />
      )}
      {isShown("client") && (
        <Suspense>
          <ClientFilter value={filters.client} onChange={(client) => setFilters({ client })} />
        </Suspense>
      )}
      {view.isAdmin && isShown("has_error") && (
        <ChoiceFilter
          label={t("filter.attempts")}
          choices={[{ value: "true", text: t("filter.withFailure") }]}
          value={filters.has_error}
          onChange={(has_error) => setFilters({ has_error })}
        />
      )}
      {view.isAdmin && isShown("upstream_request_id") && (
        <SearchFilter
          label={t("filter.upstreamRequestId")}
          value={filters.upstream_request_id ?? ""}
          onChange={(id, step) => setFilters({ upstream_request_id: withoutBlanks(id) }, step)}
        />
      )}
      <IconButton
        className={styles.moreFilters}
        label={t(isOpen ? "filter.fewer" : "filter.more")}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <IconAdjustmentsHorizontal size={16} stroke={1.5} aria-hidden />
      </IconButton>
    </>
  );
}
