/** The users page for administrators: the list of everybody, and the drawers that add and edit one. */
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { type ManagedUser, USER_LIST_STATUS } from "../../../../contract/src/features/users.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { useViewer } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/query-rows.ts";
import { RowButton, RowMenu } from "../../ui/data-table/row-actions.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useShortcuts } from "../../ui/shortcuts/use-shortcuts.ts";
import { useUserMenu } from "./acts.tsx";
import { useUserColumns } from "./columns.tsx";
import { canEdit, roleName } from "./model/person.ts";
import { groupsQuery, USER_FILTERS, type UserList, usersQuery } from "./queries.ts";
import { UserCard } from "./user-card.tsx";

const AddDrawer = lazy(async () => ({ default: (await import("./add-drawer.tsx")).AddDrawer }));
const EditDrawer = lazy(async () => ({ default: (await import("./edit-drawer.tsx")).EditDrawer }));

const STATUSES = ["enabled", "disabled", "notActivated", "deregistered"] as const;
const ROLES = [ROLE.user, ROLE.admin, ROLE.root];

/** Which drawer the address asks for, and how to open and close one. */
function useDrawers() {
  const navigate = useNavigate();
  const { id } = useParams({ strict: false }) as { id?: string };
  const isAdding = useLocation().pathname.replace(/\/+$/, "") === "/user/add";
  return {
    isAdding,
    id: id === undefined ? undefined : Number(id),
    openAdd: () => void navigate({ to: "/user/add", search: true }),
    openEdit: (user: number) => void navigate({ to: "/user/edit/$id", params: { id: String(user) }, search: true }),
    close: () => void navigate({ to: "/user", search: true }),
  };
}

function Filters({ list }: { list: UserList }) {
  const { t } = useTranslation("users");
  const groups = useQuery(groupsQuery).data ?? [];
  return (
    <>
      <SearchFilter
        label={t("search")}
        value={list.filters.keyword ?? ""}
        onChange={(keyword, step) => list.setFilters({ keyword }, step)}
      />
      <ChoiceFilter
        label={t("columns.group")}
        choices={groups.map((name) => ({ value: name, text: name }))}
        value={list.filters.group}
        onChange={(group) => list.setFilters({ group })}
      />
      <ChoiceFilter
        label={t("columns.status")}
        choices={STATUSES.map((name) => ({ value: String(USER_LIST_STATUS[name]), text: t(`status.${name}`) }))}
        value={list.filters.status}
        onChange={(status) => list.setFilters({ status })}
      />
      <ChoiceFilter
        label={t("columns.role")}
        choices={ROLES.map((role) => ({ value: String(role), text: t(`role.${roleName(role)}`) }))}
        value={list.filters.role}
        onChange={(role) => list.setFilters({ role })}
      />
    </>
  );
}

const AddButton = ({ onClick }: { onClick: () => void }) => {
  const { t } = useTranslation("users");
  return (
    <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onClick}>
      {t("create")}
    </Button>
  );
};

export function UsersPage() {
  const { t } = useTranslation("users");
  const list = useListState(USER_FILTERS);
  const query = useQuery(usersQuery(list));
  const total = query.data?.total ?? 0;
  const drawers = useDrawers();
  const viewer = useViewer();
  const menu = useUserMenu(drawers.openEdit);
  const rowMenu = (user: ManagedUser) =>
    user.DeletedAt === null ? <RowMenu about={user.username} items={menu(user)} /> : null;
  useShortcuts([{ keys: "n", label: t("create"), section: "page", run: drawers.openAdd }]);
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={<AddButton onClick={drawers.openAdd} />}>
      <DataTable
        name="users"
        label={t("title")}
        columns={useUserColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(user) => String(user.id)}
        rowName={(user) => user.username}
        filters={<Filters list={list} />}
        hasManyFilters
        onOpen={(user) => canEdit(viewer, user) && drawers.openEdit(user.id)}
        tone={(user) => (user.DeletedAt === null ? undefined : "off")}
        actions={(user) => (
          <>
            {canEdit(viewer, user) && <RowButton onClick={() => drawers.openEdit(user.id)}>{t("edit")}</RowButton>}
            {rowMenu(user)}
          </>
        )}
        card={(user) => <UserCard user={user} menu={rowMenu(user)} />}
        empty={<Empty title={t("empty.title")} sentence={t("empty.sentence")} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
      <Suspense>
        {drawers.isAdding && <AddDrawer onClose={drawers.close} />}
        {drawers.id !== undefined && <EditDrawer key={drawers.id} id={drawers.id} onClose={drawers.close} />}
      </Suspense>
    </Page>
  );
}
