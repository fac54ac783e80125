/** The columns of the users' table and what stands in their cells. */
import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import type { Column } from "../../ui/data-table/columns.ts";
import { Name } from "../../ui/display/name.tsx";
import { Quota, RemainingQuota } from "../../ui/display/quota.tsx";
import { type DotTone, Faint, StatusDot, Tag, type TagTone } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { canOpen, roleName, type RoleName, type StatusName, statusName } from "./model/person.ts";
import { QUIET_LINK } from "../../ui/plain.tsx";
import styles from "./users.module.css";

const ROLE_TONES: Readonly<Record<RoleName, TagTone>> = {
  user: "neutral",
  admin: "blue",
  root: "accent",
  unknown: "amber",
};
const STATUS_TONES: Readonly<Record<StatusName, DotTone>> = {
  enabled: "green",
  disabled: "red",
  notActivated: "idle",
  deregistered: "idle",
  unknown: "amber",
};

export function UserRole({ role }: { role: number }) {
  const { t } = useTranslation("users");
  const name = roleName(role);
  return <Tag tone={ROLE_TONES[name]}>{t(`role.${name}`)}</Tag>;
}

export function UserStatus({ user }: { user: Pick<ManagedUser, "status" | "DeletedAt"> }) {
  const { t } = useTranslation("users");
  const name = statusName(user);
  return <StatusDot tone={STATUS_TONES[name]}>{t(`status.${name}`)}</StatusDot>;
}

/** Leads to their page; where the names differ, the display name stands below. */
export function UserName({ user }: { user: ManagedUser }) {
  const { username, display_name } = user;
  const viewer = useViewer();
  const name = <Name text={username} />;
  const hasOther = display_name !== "" && display_name !== username;
  return (
    <Tooltip label={visible(display_name)} disabled={!hasOther || display_name.length < 18}>
      <span className={styles.names}>
        <span className={`tp-name ${styles.line}`}>
          {canOpen(viewer, user) ? (
            <Link {...QUIET_LINK} to="/user/$id" params={{ id: String(user.id) }}>
              {name}
            </Link>
          ) : (
            name
          )}
        </span>
        {hasOther && (
          <span className={`${styles.line} ${styles.second}`}>
            <Name text={display_name} />
          </span>
        )}
      </span>
    </Tooltip>
  );
}

/** How often they called, and the way to those entries of the log. */
export function UserCalls({ user }: { user: ManagedUser }) {
  const { t } = useTranslation("users");
  return (
    <Link
      {...QUIET_LINK}
      to="/log"
      search={{ username: user.username }}
      aria-label={t("callsOf", {
        count: user.request_count,
        formatted: formatNumber(user.request_count),
        name: user.username,
      })}
    >
      {formatNumber(user.request_count)}
    </Link>
  );
}

function UserInvitations({ user }: { user: ManagedUser }) {
  const { t } = useTranslation("users");
  const { aff_count, aff_history_quota, inviter_id, inviter_name } = user;
  if (aff_count === 0 && aff_history_quota === 0 && inviter_id === 0) return <Faint>–</Faint>;
  return (
    <span className={styles.names}>
      <span className={styles.line}>
        {t("invited", { count: aff_count })} · <Quota quota={aff_history_quota} />
      </span>
      {inviter_id !== 0 && (
        <span className={`${styles.line} ${styles.second}`}>
          {t("invitedBy")} <Name text={inviter_name || `#${inviter_id}`} />
        </span>
      )}
    </span>
  );
}

/** From so many characters on the amount takes the room of its bar. */
const LONG_AMOUNT = 14;

/** The balance, or the debt where it is below 0. */
function Left({ user: { quota, used_quota } }: { user: ManagedUser }) {
  const { t } = useTranslation("users");
  useStatus();
  if (quota < 0) return <Tag tone="red">{t("card.owed", { amount: formatQuota(0 - quota) })}</Tag>;
  return formatQuota(quota).length < LONG_AMOUNT ? (
    <RemainingQuota remaining={quota} used={used_quota} />
  ) : (
    <Quota quota={quota} />
  );
}

function Email({ user: { email } }: { user: ManagedUser }) {
  if (email === "") return <Faint>–</Faint>;
  return (
    <span className={styles.line} title={visible(email)}>
      <Name text={email} />
    </span>
  );
}

/** A dash where the account is closed to the viewer. */
function SecondFactor({ user: { has_second_factor } }: { user: ManagedUser }) {
  const { t } = useTranslation("users");
  if (has_second_factor === null) return <Faint>–</Faint>;
  return has_second_factor ? <Tag tone="green">{t("factor.on")}</Tag> : <Faint>{t("factor.off")}</Faint>;
}

/** Activity of a user, and when they registered. */
const laterColumns = (t: TFunction): Column<ManagedUser>[] => [
  {
    id: "calls",
    header: t("columns.calls"),
    width: 86,
    dropPriority: 1,
    isNumeric: true,
    sortBy: "request_count",
    cell: (user) => <UserCalls user={user} />,
  },
  {
    id: "active",
    header: t("columns.active"),
    width: 104,
    dropPriority: 1,
    cell: ({ last_active_time }) => (last_active_time === 0 ? <Faint>–</Faint> : <Time atS={last_active_time} />),
  },
  {
    id: "factor",
    header: t("columns.factor"),
    width: 110,
    dropPriority: 8,
    cell: (user) => <SecondFactor user={user} />,
  },
  {
    id: "invitations",
    header: t("columns.invitations"),
    width: 160,
    dropPriority: 9,
    sortBy: "aff_count",
    cell: (user) => <UserInvitations user={user} />,
  },
  {
    id: "created",
    header: t("columns.created"),
    width: 110,
    dropPriority: 6,
    sortBy: "created_time",
    cell: (user) => (user.created_time === 0 ? <Faint>–</Faint> : <Time atS={user.created_time} />),
  },
];

export function useUserColumns(): Column<ManagedUser>[] {
  const { t } = useTranslation("users");
  return [
    {
      id: "id",
      header: t("columns.id"),
      width: 64,
      dropPriority: 7,
      isNumeric: true,
      sortBy: "id",
      cell: (user) => <span className="number">{user.id}</span>,
    },
    { id: "name", header: t("columns.name"), width: 190, sortBy: "username", cell: (user) => <UserName user={user} /> },
    {
      id: "email",
      header: t("columns.email"),
      width: 170,
      dropPriority: 2,
      cell: (user) => <Email user={user} />,
    },
    {
      id: "role",
      header: t("columns.role"),
      width: 156,
      sortBy: "role",
      cell: (user) => <UserRole role={user.role} />,
    },
    { id: "status", header: t("columns.status"), width: 120, cell: (user) => <UserStatus user={user} /> },
    {
      id: "group",
      header: t("columns.group"),
      width: 96,
      dropPriority: 3,
      cell: (user) => (
        <Tag tone="outline">
          <Name text={user.group} />
        </Tag>
      ),
    },
    {
      id: "used",
      header: t("columns.used"),
      width: 104,
      dropPriority: 5,
      isNumeric: true,
      sortBy: "used_quota",
      cell: (user) => <Quota quota={user.used_quota} />,
    },
    {
      id: "left",
      header: t("columns.left"),
      width: 164,
      isNumeric: true,
      sortBy: "quota",
      cell: (user) => <Left user={user} />,
    },
    ...laterColumns(t),
  ];
}
