/** The users page for administrators: the list of all users, the actions on them, and the drawers that add and edit one. */
import { Button } from "@mantine/core";
import { IconPlus, IconEdit, IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { type ManagedUser, USER_LIST_STATUS } from "../../../../contract/src/features/users.ts";
import { isRoot, ROLE } from "../../../../contract/src/roles.ts";
import { useMay, useViewer } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { RowActions, RowMenu, type RowAction } from "../../ui/data-table/row-actions.tsx";
import { Withheld } from "../../ui/feedback/withheld.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useShortcuts } from "../../ui/shortcuts/shortcuts.ts";
import { glyph, useActItems } from "./acts.tsx";
import { BatchActs } from "./batch-acts.tsx";
import { useUserColumns, UserCalls, UserName, UserRole, UserStatus } from "./columns.tsx";
import { canEdit, canOpen, roleName } from "./model/person.ts";
import { groupsQuery, USER_FILTERS, type UserList, usersQuery } from "./queries.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { Name } from "../../ui/display/name.tsx";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { QuotaBar } from "../../ui/display/quota.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import styles from "./users.module.css";

/** `menu` is the row's ⋯. */
function UserCard({ user, menu }: { user: ManagedUser; menu: ReactNode }) {
  const { t } = useTranslation("users");
  useStatus();
  return (
    <RowCard>
      <RowCardHead state={<UserStatus user={user} />} menu={menu}>
        <UserName user={user} />
      </RowCardHead>
      <RowCardLine>
        <span className={styles.tags}>
          <UserRole role={user.role} />
          <Tag tone="outline">
            <Name text={user.group} />
          </Tag>
        </span>
        <span className={styles.second}>
          {t("card.calls")} <UserCalls user={user} />
        </span>
      </RowCardLine>
      <QuotaBar remaining={user.quota} used={user.used_quota} isWide />
      <RowCardLine>
        <RowCardAmount>
          {t(user.quota < 0 ? "card.owed" : "card.left", { amount: formatQuota(Math.abs(user.quota)) })}
        </RowCardAmount>
        <span className={styles.second}>{t("card.used", { amount: formatQuota(user.used_quota) })}</span>
      </RowCardLine>
    </RowCard>
  );
}

/** The ⋯ menu of one user; nothing for those who are deregistered. */
function useUserMenu(edit: (id: number) => void): (user: ManagedUser) => RowAction[] {
  const { t } = useTranslation("users");
  const viewer = useViewer();
  const navigate = useNavigate();
  const actItems = useActItems();
  return (user) => {
    if (user.DeletedAt !== null) return [];
    const open = { label: t("edit"), icon: <IconEdit {...glyph} />, onPick: () => edit(user.id), isFirst: true };
    const log = {
      label: t("logEntries"),
      icon: <IconListDetails {...glyph} />,
      onPick: () => void navigate({ to: "/log", search: { username: user.username } }),
    };
    return [...(canEdit(viewer, user) ? [open] : []), log, ...actItems(user)];
  };
}

const AddDrawer = lazy(async () => ({ default: (await import("./add-drawer.tsx")).AddDrawer }));
/** With the words of permissions, which the super administrator sets there. */
const EditDrawer = lazy(async () => {
  const [part] = await Promise.all([import("./edit-drawer.tsx"), loadTexts("permissions")]);
  return { default: part.EditDrawer };
});

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

const InviteDrawer = lazy(async () => ({ default: (await import("./invite-drawer.tsx")).InviteDrawer }));

/** Opens the drawer that invites people by mail. */
function InviteButton() {
  const { t } = useTranslation("users");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t("invite.open")}</Button>
      <Suspense>{isOpen && <InviteDrawer onClose={() => setIsOpen(false)} />}</Suspense>
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
  const navigate = useNavigate();
  const openPerson = (id: number) => void navigate({ to: "/user/$id", params: { id: String(id) } });
  const menu = useUserMenu(drawers.openEdit);
  const mayAdd = useMay("users");
  useShortcuts(mayAdd ? [{ keys: "n", label: t("create"), section: "page", run: drawers.openAdd }] : []);
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      actions={
        <>
          {isRoot(viewer?.role ?? 0) && (
            <Button component={Link} to="/user/permissions">
              {t("permissions")}
            </Button>
          )}
          {mayAdd && <InviteButton />}
          {mayAdd && <AddButton onClick={drawers.openAdd} />}
        </>
      }
    >
      <Withheld permissions={["users", "money"]} />
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
        onOpen={(user) => canOpen(viewer, user) && openPerson(user.id)}
        selection={(rows, clear) => <BatchActs users={rows} clear={clear} />}
        tone={(user) => (user.DeletedAt === null ? undefined : "off")}
        actions={(user) => user.DeletedAt === null && <RowActions about={user.username} items={menu(user)} />}
        card={(user) => (
          <UserCard
            user={user}
            menu={user.DeletedAt === null && <RowMenu about={user.username} items={menu(user)} />}
          />
        )}
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
