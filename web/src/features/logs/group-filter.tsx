/** The choice of the field that the log is summed up by; it is kept in the address. */
import { useTranslation } from "../../lib/i18n.ts";
import { useSearchState } from "../../lib/search.ts";
import { ChoiceFilter } from "../../ui/data-table/filters.tsx";
import { type GroupField, groupFields } from "./model/group-field.ts";
import { areCalls } from "./model/histogram.ts";
import type { LogView } from "./queries.ts";
import { logSearch } from "./route.ts";

const canGroup = ({ filters }: LogView): boolean => filters.request_id === undefined && areCalls(filters.type);

/** The field by which entries are summed up, one that the reader may ask for; inactive where one entry is asked for, or none that is a call. */
export function useGroupField(view: LogView): [GroupField | undefined, (field: string | undefined) => void] {
  const [{ group_by }, change] = useSearchState(logSearch);
  const field = groupFields(view.isAdmin).find((each) => each === group_by);
  const set = (next: string | undefined) =>
    change({ group_by: groupFields(view.isAdmin).find((each) => each === next), p: undefined });
  return [canGroup(view) ? field : undefined, set];
}

/** Chooses the field. */
export function GroupFilter({ view }: { view: LogView }) {
  const { t } = useTranslation("logs");
  const [field, setField] = useGroupField(view);
  if (!canGroup(view)) return null;
  return (
    <ChoiceFilter
      label={t("groups.label")}
      choices={groupFields(view.isAdmin).map((value) => ({ value, text: t(`groups.by.${value}`) }))}
      value={field}
      onChange={setField}
    />
  );
}
