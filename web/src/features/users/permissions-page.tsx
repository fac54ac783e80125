/** Permissions as a table for the super administrator: acts in rows, roles and single administrators in columns. */
import { Button } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { listUsers, type ManagedUser } from "../../../../contract/src/features/users.ts";
import { PERMISSIONS, type Permission } from "../../../../contract/src/permissions.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { call } from "../../lib/api.ts";
import { visible } from "../../lib/names.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { Page } from "../../ui/page.tsx";
import stacked from "../../ui/display/stacked-rows.module.css";
import styles from "./users.module.css";

/** Administrators in columns; more are named by their number alone. */
const MOST_SHOWN = 100;

const administratorsQuery = queryOptions({
  queryKey: ["users", "list", "administrators"],
  queryFn: ({ signal }) =>
    call(listUsers, {
      query: { p: 1, page_size: MOST_SHOWN, role: ROLE.admin, sort: "username", order: "asc" },
      signal,
    }),
});

/** What everybody has as a member, and what the super administrator alone has: rows that no permission moves. */
const FIXED_ROWS = ["own", "root"] as const;
type RowId = Permission | (typeof FIXED_ROWS)[number];
const ROWS: readonly RowId[] = ["own", ...PERMISSIONS, "root"];

const isFixed = (id: RowId): id is (typeof FIXED_ROWS)[number] => FIXED_ROWS.some((each) => each === id);

interface Column {
  id: string;
  name: string;
  /** Of a single administrator, whose drawer the name leads to; undefined for a role. */
  userId?: number;
  has: (row: RowId) => boolean;
}

function useColumns(administrators: readonly ManagedUser[]): Column[] {
  const { t } = useTranslation("permissions");
  const roles: Column[] = [
    { id: "member", name: t("matrix.member"), has: (row) => row === "own" },
    { id: "administrator", name: t("matrix.administrator"), has: (row) => row !== "root" },
    { id: "root", name: t("matrix.superAdministrator"), has: () => true },
  ];
  const people = administrators.map(({ id, username, admin_permissions: held }): Column => ({
    id: String(id),
    name: visible(username),
    userId: id,
    has: (row) => row === "own" || (!isFixed(row) && (held ?? []).includes(row)),
  }));
  return [...roles, ...people];
}

/** A single administrator's name, which leads to where their permissions are changed. */
const Person = ({ userId, name }: { userId: number; name: string }) => (
  <Link to="/user/edit/$id" params={{ id: String(userId) }}>
    <bdi>{name}</bdi>
  </Link>
);

const Head = ({ column: { name, userId } }: { column: Column }) => (
  <th scope="col">{userId === undefined ? name : <Person userId={userId} name={name} />}</th>
);

/** Whether it is given. On a phone it says whose it is, where no head stands above it. */
function Mark({ column: { name, userId, has }, row }: { column: Column; row: RowId }) {
  const { t } = useTranslation("permissions");
  const isGiven = has(row);
  const Icon = isGiven ? IconCheck : IconMinus;
  return (
    <td data-is-given={isGiven || undefined} data-label={userId === undefined ? name : undefined}>
      {userId !== undefined && (
        <span className={styles.whose}>
          <Person userId={userId} name={name} />
        </span>
      )}
      <Icon size={16} stroke={1.8} role="img" aria-label={t(isGiven ? "matrix.yes" : "matrix.no")} />
    </td>
  );
}

function Matrix({ administrators, total }: { administrators: readonly ManagedUser[]; total: number }) {
  const { t } = useTranslation("permissions");
  const columns = useColumns(administrators);
  return (
    <>
      <div className={styles.matrixPlace} role="region" aria-label={t("matrix.title")} tabIndex={0}>
        <table className={`${styles.matrix} ${stacked.stacked}`}>
          <thead>
            <tr>
              <th scope="col">{t("matrix.act")}</th>
              {columns.map((column) => (
                <Head key={column.id} column={column} />
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row}>
                <th scope="row">
                  {t(isFixed(row) ? `matrix.row.${row}` : `name.${row}`)}
                  <span className={styles.second}>{t(isFixed(row) ? `matrix.text.${row}` : `text.${row}`)}</span>
                </th>
                {columns.map((column) => (
                  <Mark key={column.id} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {administrators.length === 0 && <p className={styles.second}>{t("matrix.none")}</p>}
      {total > administrators.length && (
        <p className={styles.second}>{t("matrix.more", { count: total - administrators.length })}</p>
      )}
    </>
  );
}

export function PermissionsPage() {
  const { t } = useTranslation("permissions");
  const query = useQuery(administratorsQuery);
  const living = query.data?.items.filter(({ DeletedAt }) => DeletedAt === null) ?? [];
  return (
    <Page
      title={t("matrix.title")}
      purpose={t("matrix.purpose")}
      actions={
        <Button component={Link} to="/user">
          {t("matrix.toUsers")}
        </Button>
      }
    >
      <div className={styles.matrixPage}>
        {query.isPending && <LoadingBars height={44} />}
        {query.isError && query.data === undefined && (
          <ErrorState title={t("matrix.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
        )}
        {query.data !== undefined && (
          <Matrix administrators={living} total={living.length + query.data.total - query.data.items.length} />
        )}
      </div>
    </Page>
  );
}
