/** The log summed up by one field: a table that is sorted by calls, failures or spend, and leads back to the entries. */
import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_GROUP_ORDERS, type LogGroupOrder, type LogGroups } from "../../../../contract/src/logs/sums.ts";
import { formatDateTime, formatDecimals, formatNumber } from "../../lib/format.ts";
import { useSearchState } from "../../lib/search.ts";
import { ErrorState, NothingFound } from "../../ui/feedback/empty.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import type { LogList } from "./filters.tsx";
import styles from "./groups.module.css";
import { FILTER_OF_FIELD, type GroupField } from "./model/group-field.ts";
import { groupsQuery, type LogView } from "./queries.ts";
import { logSearch } from "./route.ts";

type Group = LogGroups["groups"][number];

function GroupName({ group, field }: { group: Group; field: GroupField }) {
  const { t } = useTranslation("logs");
  if (group.value === "") return <Faint>{t(`groups.none.${field}`)}</Faint>;
  const text = field === "channel" ? `#${group.value} ${group.name}`.trim() : group.value;
  const filter = FILTER_OF_FIELD[field];
  return (
    <Link
      to="/log"
      search={
        ((old: object) => ({ ...old, group_by: undefined, p: undefined, [filter]: group.value })) as unknown as never
      }
      className={field === "model" || field === "error_code" ? "mono" : undefined}
    >
      <Name text={text} />
    </Link>
  );
}

const shareOf = ({ calls, errors }: Group): string =>
  calls + errors === 0 ? "–" : `${formatDecimals((errors / (calls + errors)) * 100, 1)}%`;

function Row({ group, field, most, order }: { group: Group; field: GroupField; most: number; order: LogGroupOrder }) {
  return (
    <tr>
      <th scope="row">
        <GroupName group={group} field={field} />
        <span
          className={styles.share}
          data-tone={order}
          style={{ width: `${(group[order] / most) * 100}%` }}
          aria-hidden
        />
      </th>
      <td>{formatNumber(group.calls)}</td>
      <td className={group.errors > 0 ? styles.failed : styles.quiet}>{formatNumber(group.errors)}</td>
      <td className={styles.quiet}>{shareOf(group)}</td>
      <td className={styles.money}>
        <Quota quota={group.quota} />
      </td>
    </tr>
  );
}

function Head({
  field,
  order,
  onOrder,
}: {
  field: GroupField;
  order: LogGroupOrder;
  onOrder: (order: LogGroupOrder) => void;
}) {
  const { t } = useTranslation("logs");
  const head = (name: LogGroupOrder) => (
    <th key={name} scope="col" aria-sort={order === name ? "descending" : undefined}>
      <PlainButton onClick={() => onOrder(name)}>
        {t(`groups.${name}`)}
        {order === name && <span aria-hidden> ↓</span>}
      </PlainButton>
    </th>
  );
  const [calls, errors, quota] = LOG_GROUP_ORDERS.map(head);
  return (
    <thead>
      <tr>
        <th scope="col">{t(`groups.by.${field}`)}</th>
        {calls}
        {errors}
        <th scope="col">{t("groups.share")}</th>
        {quota}
      </tr>
    </thead>
  );
}

/** What the figures leave out. */
function Notes({ data }: { data: LogGroups }) {
  const { t } = useTranslation("logs");
  const notes = [
    ...(data.is_cut ? [t("groups.cut", { count: data.groups.length })] : []),
    ...(data.errors_since > 0 ? [t("groups.errorsSince", { time: formatDateTime(data.errors_since) })] : []),
    ...(data.searched_since > 0 ? [t("stats.since", { time: formatDateTime(data.searched_since) })] : []),
  ];
  return notes.length === 0 ? null : <p className={styles.notes}>{notes.join(" ")}</p>;
}

export function Groups({ list, view, field }: { list: LogList; view: LogView; field: GroupField }) {
  const { t } = useTranslation("logs");
  const [{ group_order: order = "calls" }, change] = useSearchState(logSearch);
  const query = useQuery(groupsQuery(view, field, order));
  const { data, error } = query;
  if (data === undefined)
    return error === null ? (
      <div className={styles.waiting} aria-busy />
    ) : (
      <ErrorState title={t("groups.notLoaded")} error={error} onRetry={() => void query.refetch()} />
    );
  if (data.groups.length === 0) return <NothingFound onClear={list.clearFilters} />;
  const most = Math.max(1, ...data.groups.map((group) => group[order]));
  return (
    <div className={styles.place} data-is-old={query.isPlaceholderData || undefined}>
      <table className={styles.table} aria-label={t("groups.title", { field: t(`groups.by.${field}`) })}>
        <Head
          field={field}
          order={order}
          onOrder={(next) => change({ group_order: next === "calls" ? undefined : next }, "replace")}
        />
        <tbody>
          {data.groups.map((group) => (
            <Row key={group.value} group={group} field={field} most={most} order={order} />
          ))}
        </tbody>
      </table>
      <Notes data={data} />
    </div>
  );
}
