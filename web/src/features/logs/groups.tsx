/** The log summed up by one field: a table that is sorted by calls, failures or spend, and leads back to the entries. */
import { lazy, Suspense } from "react";
import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import { sentences } from "../../lib/translate.ts";
import { LOG_GROUP_ORDERS, type LogGroupOrder, type LogGroups } from "../../../../contract/src/logs/sums.ts";
import {
  amountDecimals,
  formatDateTime,
  formatDecimals,
  formatNumber,
  formatPercent,
  quotaToAmount,
} from "../../lib/format.ts";
import { useSearchState } from "../../lib/search.ts";
import { ErrorState, NothingFound } from "../../ui/feedback/empty.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { SortButton } from "../../ui/sort-button.tsx";
import type { LogList } from "./filters.tsx";
import stacked from "../../ui/display/stacked-rows.module.css";
import styles from "./groups.module.css";
import { FILTER_OF_FIELD, type GroupField } from "./model/group-field.ts";
import { groupsQuery, type LogView } from "./queries.ts";
import { logSearch } from "./route.ts";

const ClientName = lazy(async () => ({ default: (await import("./client.tsx")).ClientName }));

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
      {field === "client" ? (
        <Suspense fallback={text}>
          <ClientName id={text} />
        </Suspense>
      ) : (
        <Name text={text} />
      )}
    </Link>
  );
}

const shareOf = ({ calls, errors }: Group): string =>
  calls + errors === 0 ? "–" : `${formatDecimals((errors / (calls + errors)) * 100, 1)}%`;

const cachedOf = ({ prompt_tokens, cached_tokens }: Group): string =>
  prompt_tokens === 0 ? "–" : formatPercent(cached_tokens / prompt_tokens);

/** As many for all as the smallest amount needs: the column can be read down. */
const decimalsOf = (groups: readonly Group[]): number =>
  Math.max(2, ...groups.map(({ quota }) => amountDecimals(quotaToAmount(quota))));

interface RowProps {
  group: Group;
  field: GroupField;
  most: number;
  order: LogGroupOrder;
  /** Of money. */
  decimals: number;
}

function Row({ group, field, most, order, decimals }: RowProps) {
  const { t } = useTranslation("logs");
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
      <td data-label={t("groups.calls")}>{formatNumber(group.calls)}</td>
      <td data-label={t("groups.errors")} className={group.errors > 0 ? styles.failed : styles.quiet}>
        {formatNumber(group.errors)}
      </td>
      <td className={styles.quiet}>{shareOf(group)}</td>
      <td data-label={t("groups.cached")} className={styles.quiet}>
        {cachedOf(group)}
      </td>
      <td data-label={t("groups.quota")} className={styles.money}>
        <Quota quota={group.quota} decimals={decimals} />
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
      <SortButton direction={order === name ? "descending" : undefined} onClick={() => onOrder(name)}>
        {t(`groups.${name}`)}
      </SortButton>
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
        <th scope="col">{t("groups.cached")}</th>
        {quota}
      </tr>
    </thead>
  );
}

/** Notes on omitted calls. */
function Notes({ data, field }: { data: LogGroups; field: GroupField }) {
  const { t } = useTranslation("logs");
  const tokensNote = field === "client" ? "groups.clientsSince" : "groups.cachedSince";
  const notes = [
    ...(data.is_cut ? [t("groups.cut", { count: data.groups.length })] : []),
    ...(data.errors_since > 0 ? [t("groups.errorsSince", { time: formatDateTime(data.errors_since) })] : []),
    ...(data.tokens_since > 0 ? [t(tokensNote, { time: formatDateTime(data.tokens_since) })] : []),
    ...(data.searched_since > 0 ? [t("stats.since", { time: formatDateTime(data.searched_since) })] : []),
  ];
  return notes.length === 0 ? null : <p className={styles.notes}>{sentences(...notes)}</p>;
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
  const decimals = decimalsOf(data.groups);
  const most = Math.max(1, ...data.groups.map((group) => group[order]));
  return (
    <div className={styles.place} data-is-old={query.isPlaceholderData || undefined}>
      <table
        className={`${styles.table} ${stacked.stacked}`}
        aria-label={t("groups.title", { field: t(`groups.by.${field}`) })}
      >
        <Head
          field={field}
          order={order}
          onOrder={(next) => change({ group_order: next === "calls" ? undefined : next }, "replace")}
        />
        <tbody>
          {data.groups.map((group) => (
            <Row key={group.value} group={group} field={field} most={most} order={order} decimals={decimals} />
          ))}
        </tbody>
      </table>
      <Notes data={data} field={field} />
    </div>
  );
}
