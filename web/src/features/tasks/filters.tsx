/** The filter row of both logs: an id, a time range, and a chip for each field. An id is searched alone, at any time. */
import { useTranslation } from "../../lib/i18n.ts";
import {
  IMAGE_ACTIONS,
  SONG_ACTIONS,
  TASK_PLATFORMS,
  TASK_STATUSES,
  VIDEO_ACTIONS,
} from "../../../../contract/src/tasks.ts";
import { ChoiceFilter, SearchFilter, TextFilter } from "../../ui/data-table/filters.tsx";
import type { Preset } from "../../ui/time-range/range.ts";
import { TimeRangeFilter } from "../../ui/time-range/time-range.tsx";
import { actionText, platformText } from "./cells.tsx";
import { type LogKind, statusLook } from "./model/task-row.ts";
import { DEFAULT_PRESETS, type TaskFilterName, type TaskList, type TaskView } from "./queries.ts";

const PRESETS: readonly Preset[] = ["hour", "today", "yesterday", "week", "days30"];

const ACTIONS: Readonly<Record<LogKind, readonly string[]>> = {
  drawing: IMAGE_ACTIONS,
  tasks: [...SONG_ACTIONS, ...VIDEO_ACTIONS],
};
/** While a task is handed over it has no status by which it could be asked for. */
const STATUSES = TASK_STATUSES.filter((status) => status !== "");
const PLATFORMS = TASK_PLATFORMS.filter((platform) => platform !== "mj");

/** The id's name in the address. */
const ID_FILTERS = { drawing: "mj_id", tasks: "task_id" } as const satisfies Record<LogKind, TaskFilterName>;

interface FilterProps {
  list: TaskList;
  view: TaskView;
}

/** Filters of administrators alone. */
function OriginFilters({ list }: Pick<FilterProps, "list">) {
  const { t } = useTranslation("tasks");
  return (
    <>
      <TextFilter
        label={t("filter.channel")}
        hint={t("filter.channelHint")}
        inputMode="numeric"
        value={list.filters.channel_id}
        onChange={(channel_id) => list.setFilters({ channel_id })}
      />
      <TextFilter
        label={t("column.user")}
        value={list.filters.username}
        onChange={(username) => list.setFilters({ username })}
      />
    </>
  );
}

function Choices({ list, view }: FilterProps) {
  const { t } = useTranslation("tasks");
  return (
    <>
      {view.kind === "tasks" && (
        <ChoiceFilter
          label={t("column.platform")}
          choices={PLATFORMS.map((value) => ({ value, text: platformText(t, value) }))}
          value={list.filters.platform}
          onChange={(platform) => list.setFilters({ platform })}
        />
      )}
      <ChoiceFilter
        label={t("column.action")}
        choices={ACTIONS[view.kind].map((value) => ({ value, text: actionText(t, value) }))}
        value={list.filters.action}
        onChange={(action) => list.setFilters({ action })}
      />
      <ChoiceFilter
        label={t("column.status")}
        choices={STATUSES.map((value) => ({ value, text: t(`status.${statusLook(value).key}`) }))}
        value={list.filters.status}
        onChange={(status) => list.setFilters({ status })}
      />
    </>
  );
}

export function TaskFilters({ list, view, askedAtMs }: FilterProps & { askedAtMs: number }) {
  const { t } = useTranslation("tasks");
  const idFilter = ID_FILTERS[view.kind];
  const { request_id } = list.filters;
  const hasId = list.filters[idFilter] !== undefined || request_id !== undefined;
  return (
    <>
      <SearchFilter
        label={t("filter.taskId")}
        value={list.filters[idFilter] ?? ""}
        onChange={(id, step) => list.setFilters({ [idFilter]: id.trim() }, step)}
      />
      {request_id !== undefined && (
        <TextFilter
          label={t("column.requestId")}
          value={request_id}
          onChange={(id) => list.setFilters({ request_id: id })}
        />
      )}
      {!hasId && (
        <>
          <TimeRangeFilter
            range={view.range}
            presets={PRESETS}
            fallback={DEFAULT_PRESETS[view.kind]}
            askedAtMs={askedAtMs}
            onChange={(range) => list.setFilters(range)}
          />
          <Choices list={list} view={view} />
          {view.isAdmin && <OriginFilters list={list} />}
        </>
      )}
    </>
  );
}
