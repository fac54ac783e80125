/** The log's filter row: time, type, then a chip for each thing to search by. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { LOG_TYPE } from "../../../../contract/src/features/logs.ts";
import { Segmented } from "../../ui/fields.tsx";
import { ChoiceFilter, TextFilter } from "../../ui/filters.tsx";
import type { ListState } from "../../ui/data-table/list-state.ts";
import type { TimeRange } from "./fns/range.ts";
import styles from "./logs.module.css";
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

interface LogFiltersProps {
  list: LogList;
  range: TimeRange;
  isAdmin: boolean;
  askedAtMs: number;
}

export function LogFilters({ list, range, isAdmin, askedAtMs }: LogFiltersProps) {
  const { t } = useTranslation("logs");
  const { filters, setFilters } = list;
  const groups = useQuery(groupsQuery(isAdmin));
  const chosenType = TYPES.find(([value]) => value === filters.type)?.[0] ?? "";
  return (
    <>
      <TimeRangeFilter range={range} askedAtMs={askedAtMs} onChange={setFilters} />
      <div className={styles.types}>
        <Segmented
          label={t("filter.type")}
          options={TYPES.map(([value, name]) => ({ value, text: t(`types.${name}`) }))}
          value={chosenType}
          onChange={(type) => setFilters({ type })}
        />
      </div>
      <TextFilter
        label={t("filter.model")}
        value={filters.model_name}
        onChange={(model_name) => setFilters({ model_name })}
      />
      <TextFilter
        label={t("filter.token")}
        value={filters.token_name}
        onChange={(token_name) => setFilters({ token_name })}
      />
      {isAdmin && (
        <TextFilter
          label={t("filter.user")}
          value={filters.username}
          onChange={(username) => setFilters({ username })}
        />
      )}
      {isAdmin && (
        <TextFilter
          label={t("filter.channel")}
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
