/** User info in the log, for administrators: the account behind a name, and a filter by it. */
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { Button } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { LogPerson } from "../../../../contract/src/features/logs.ts";
import { isAdmin, isRoot } from "../../../../contract/src/roles.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useMay } from "../../lib/viewer.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { StatusDot, Tag } from "../../ui/display/tags.tsx";
import type { LogRow } from "./model/log-row.ts";
import styles from "./logs.module.css";
import { personQuery } from "./queries.ts";

/** Above the page, below questions. */
const LAYER = 300;

function roleName(role: number): "root" | "admin" | "user" {
  if (isRoot(role)) return "root";
  return isAdmin(role) ? "admin" : "user";
}

function useInfo(person: LogPerson | undefined): [string, ReactNode][] {
  const { t } = useTranslation("logs");
  const wait = <span className={styles.noStat}>–</span>;
  const of = (show: (person: LogPerson) => ReactNode): ReactNode => (person === undefined ? wait : show(person));
  return [
    [t("person.id"), of(({ id }) => id)],
    [t("person.displayName"), of(({ display_name }) => visible(display_name) || wait)],
    [t("person.role"), of(({ role }) => t(`person.roles.${roleName(role)}`))],
    [
      t("person.status"),
      of(({ status }) =>
        status === USER_STATUS.enabled ? (
          <StatusDot tone="green">{t("person.enabled")}</StatusDot>
        ) : (
          <StatusDot tone="idle">{t("person.disabled")}</StatusDot>
        ),
      ),
    ],
    [t("column.group"), of(({ group }) => <Tag tone="outline">{visible(group)}</Tag>)],
    [t("person.balance"), of(({ quota }) => <Quota quota={quota} />)],
    [t("person.used"), of(({ used_quota }) => <Quota quota={used_quota} />)],
    [t("person.calls"), of(({ request_count }) => formatNumber(request_count))],
  ];
}

function Person({ row, onFilter, onClose }: { row: LogRow; onFilter: () => void; onClose: () => void }) {
  const { t } = useTranslation(["logs", "ui"]);
  const query = useQuery(personQuery(row.user_id));
  const info = useInfo(query.data);
  const mayOpen = useMay(["users", "money"]);
  if (query.error && query.data === undefined)
    return <ErrorState title={t("person.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <dl className={styles.person} aria-busy={query.isPending}>
        {info.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.personFoot}>
        <Button variant="subtle" onClick={onClose}>
          {t("ui:close")}
        </Button>
        {mayOpen && query.data !== undefined && (
          <Link {...buttonLook()} to="/user/$id" params={{ id: String(row.user_id) }}>
            {t("person.openPage")}
          </Link>
        )}
        <Button onClick={onFilter}>{t("person.filter")}</Button>
      </div>
    </>
  );
}

/** Opens while `row` is given. */
export function PersonDialog({
  row,
  onClose,
  onFilter,
}: {
  row: LogRow | undefined;
  onClose: () => void;
  onFilter: (username: string) => void;
}) {
  // Closed in its first drawing: the dialog notes where the focus was, to give it back, only when it opens after that.
  const isDrawn = useMounted();
  // The last person stays while the dialog fades.
  const [shown, setShown] = useState(row);
  if (row !== undefined && row !== shown) setShown(row);
  return (
    <Dialog
      isOpen={isDrawn && row !== undefined}
      onClose={onClose}
      title={visible(shown?.username ?? "")}
      layer={LAYER}
    >
      {shown !== undefined && (
        <Person
          row={shown}
          onClose={onClose}
          onFilter={() => {
            onClose();
            onFilter(shown.username);
          }}
        />
      )}
    </Dialog>
  );
}
