/** The log's filter row: time, type, then a chip for each thing to search by. */
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { LOG_TYPE } from "../../../../contract/src/features/logs.ts";
import { Segmented } from "../../ui/fields.tsx";
import { ChoiceFilter, TextFilter } from "../../ui/filters.tsx";
import type { ListState } from "../../ui/data-table/list-state.ts";
import type { LogRow } from "./fns/log-row.ts";
import type { TimeRange } from "./fns/range.ts";
import { groupsQuery } from "./queries.ts";
import { TimeRangeFilter } from "./time-range.tsx";

export const FILTERS = [
  "type",
  "model_name",
  "token_name",
  "group",
  "username",
  "channel",
  "range",
  "start_timestamp",
  "end_timestamp",
] as const;
export type LogList = ListState<(typeof FILTERS)[number]>;

const TYPES = [
  ["", "all"],
  [String(LOG_TYPE.consumption), "usage"],
  [String(LOG_TYPE.error), "errors"],
  [String(LOG_TYPE.topUp), "topUps"],
  [String(LOG_TYPE.admin), "admin"],
  [String(LOG_TYPE.system), "system"],
] as const;

/** A channel is searched by its number, with or without the sign people copy along. */
const channelNumber = (text: string | undefined): string | undefined => text?.replace(/\D/g, "") || undefined;

/** Narrower than this the types are a chip like the others: six words in a row leave no room for them. */
const TYPES_QUERY = "(min-width: 1200px)";

function TypeFilter({ list }: { list: LogList }) {
  const { t } = useTranslation("logs");
  const isWide = useMediaQuery(TYPES_QUERY, true, { getInitialValueInEffect: false }) ?? true;
  const onChange = (type: string | undefined) => list.setFilters({ type });
  const chosen = TYPES.find(([value]) => value !== "" && value === list.filters.type)?.[0];
  const options = TYPES.map(([value, name]) => ({ value, text: t(`types.${name}`) }));
  if (isWide) return <Segmented label={t("filter.type")} options={options} value={chosen ?? ""} onChange={onChange} />;
  return (
    <ChoiceFilter
      label={t("filter.type")}
      choices={options.filter(({ value }) => value !== "")}
      value={chosen}
      onChange={onChange}
    />
  );
}

/** What stands in the rows shown, each value once. */
const seen = (rows: readonly LogRow[] | undefined, of: (row: LogRow) => string): string[] =>
  [...new Set((rows ?? []).map(of))].filter((value) => value !== "").toSorted();

interface LogFiltersProps {
  list: LogList;
  range: TimeRange;
  rows: readonly LogRow[] | undefined;
  isAdmin: boolean;
  askedAtMs: number;
}

export function LogFilters({ list, range, rows, isAdmin, askedAtMs }: LogFiltersProps) {
  const { t } = useTranslation("logs");
  const { filters, setFilters } = list;
  const groups = useQuery(groupsQuery(isAdmin));
  return (
    <>
      <TimeRangeFilter range={range} askedAtMs={askedAtMs} onChange={setFilters} />
      <TypeFilter list={list} />
      <TextFilter
        label={t("filter.model")}
        hint={t("filter.pattern")}
        suggestions={seen(rows, (row) => row.model_name)}
        value={filters.model_name}
        onChange={(model_name) => setFilters({ model_name })}
      />
      <TextFilter
        label={t("filter.token")}
        suggestions={seen(rows, (row) => row.token_name)}
        value={filters.token_name}
        onChange={(token_name) => setFilters({ token_name })}
      />
      {isAdmin && (
        <TextFilter
          label={t("filter.user")}
          suggestions={seen(rows, (row) => row.username)}
          value={filters.username}
          onChange={(username) => setFilters({ username })}
        />
      )}
      {isAdmin && (
        <TextFilter
          label={t("filter.channel")}
          hint={t("filter.channelNumber")}
          inputMode="numeric"
          value={filters.channel}
          onChange={(text) => setFilters({ channel: channelNumber(text) })}
        />
      )}
      <ChoiceFilter
        label={t("filter.group")}
        choices={(groups.data ?? []).map((name) => ({ value: name, text: name }))}
        value={filters.group}
        onChange={(group) => setFilters({ group })}
      />
    </>
  );
}
