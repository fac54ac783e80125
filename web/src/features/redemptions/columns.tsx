/** The columns of the table of redemption codes and what stands in their cells. */
import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import {
  REDEMPTION_LIST_STATUS,
  REDEMPTION_STATUS,
  type RedemptionRow,
} from "../../../../contract/src/features/redemptions.ts";
import { visible } from "../../lib/names.ts";
import type { Column } from "../../ui/data-table/columns.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { type DotTone, Faint, StatusDot } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { shortCode, shownStatus } from "./model/code.ts";
import { QUIET_LINK } from "../../ui/plain.tsx";
import styles from "./redemptions.module.css";

/** Dot and text of each status; the texts' keys are under `status`. */
export const STATUSES: readonly { status: number; key: "unused" | "disabled" | "used" | "expired"; tone: DotTone }[] = [
  { status: REDEMPTION_STATUS.unused, key: "unused", tone: "green" },
  { status: REDEMPTION_STATUS.disabled, key: "disabled", tone: "red" },
  { status: REDEMPTION_STATUS.used, key: "used", tone: "idle" },
  { status: REDEMPTION_LIST_STATUS.expired, key: "expired", tone: "amber" },
];

export function CodeStatus({ code }: { code: RedemptionRow }) {
  const { t } = useTranslation("redemptions");
  const status = shownStatus(code);
  const found = STATUSES.find((known) => known.status === status) ?? { key: "unknown", tone: "amber" as const };
  return <StatusDot tone={found.tone}>{t(`status.${found.key}`)}</StatusDot>;
}

export function CodeName({ code }: { code: RedemptionRow }) {
  return (
    <Tooltip label={visible(code.name)} disabled={code.name.length < 14}>
      <span className={`tp-name ${styles.name}`}>
        <Name text={code.name} />
      </span>
    </Tooltip>
  );
}

export function CodeKey({ code, isIconShown = false }: { code: RedemptionRow; isIconShown?: boolean }) {
  const { t } = useTranslation("redemptions");
  return (
    <Copy text={code.key} label={t("copyCode")} isIconShown={isIconShown}>
      <span className={`mono ${styles.key}`}>{shortCode(code.key)}</span>
    </Copy>
  );
}

/** A user's name, which leads to them in the list of users. */
function Person({ id, name }: { id: number; name: string }) {
  return (
    <Link {...QUIET_LINK} to="/user" search={{ keyword: name === "" ? String(id) : name }}>
      <Name text={name === "" ? `#${id}` : name} />
    </Link>
  );
}

/** Who redeemed it. */
export function UsedBy({ code }: { code: RedemptionRow }) {
  const { used_user_id: id, used_username: name } = code;
  if (id === 0) return <Faint>–</Faint>;
  return (
    <Link {...QUIET_LINK} to="/user/$id" params={{ id: String(id) }}>
      <Name text={name === "" ? `#${id}` : name} />
    </Link>
  );
}

export function useRedemptionColumns(): Column<RedemptionRow>[] {
  const { t } = useTranslation("redemptions");
  return [
    {
      id: "id",
      header: t("columns.id"),
      width: 64,
      dropPriority: 5,
      isNumeric: true,
      sortBy: "id",
      cell: (code) => <span className="number">{code.id}</span>,
    },
    { id: "name", header: t("columns.name"), width: 150, sortBy: "name", cell: (code) => <CodeName code={code} /> },
    { id: "key", header: t("columns.key"), width: 140, cell: (code) => <CodeKey code={code} /> },
    {
      id: "status",
      header: t("columns.status"),
      width: 104,
      sortBy: "status",
      cell: (code) => <CodeStatus code={code} />,
    },
    {
      id: "quota",
      header: t("columns.quota"),
      width: 104,
      isNumeric: true,
      sortBy: "quota",
      cell: (code) => <Quota quota={code.quota} />,
    },
    { id: "used_by", header: t("columns.usedBy"), width: 120, dropPriority: 1, cell: (code) => <UsedBy code={code} /> },
    {
      id: "used_at",
      header: t("columns.usedAt"),
      width: 110,
      dropPriority: 2,
      sortBy: "redeemed_time",
      cell: (code) => (code.redeemed_time === 0 ? <Faint>–</Faint> : <Time atS={code.redeemed_time} />),
    },
    {
      id: "expires",
      header: t("columns.expires"),
      width: 110,
      dropPriority: 3,
      sortBy: "expired_time",
      cell: (code) => (code.expired_time === 0 ? <Faint>–</Faint> : <Time atS={code.expired_time} />),
    },
    {
      id: "created",
      header: t("columns.created"),
      width: 110,
      dropPriority: 4,
      sortBy: "created_time",
      cell: (code) => <Time atS={code.created_time} />,
    },
    {
      id: "creator",
      header: t("columns.creator"),
      width: 120,
      dropPriority: 6,
      isOffAtFirst: true,
      cell: (code) => <Person id={code.user_id} name={code.username} />,
    },
  ];
}
