/** The columns of the token table and what stands in their cells. */
import { Tooltip } from "@mantine/core";
import { IconShield } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import type { GroupEntries } from "../../../../contract/src/features/groups.ts";
import { NEVER_EXPIRES, TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { formatRatio } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useViewer } from "../../lib/viewer.ts";
import { Copy } from "../../ui/display/copy.tsx";
import type { Column } from "../../ui/data-table/columns.ts";
import { ModelLink, Name } from "../../ui/display/name.tsx";
import { Quota, RemainingQuota } from "../../ui/display/quota.tsx";
import { type DotTone, Faint, StatusDot } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { fullKey, isKeyKnown, shortKey } from "./model/key.ts";
import styles from "./tokens.module.css";

/** Dot and text of each status; the texts' keys are under `status`. */
export const STATUSES: readonly {
  status: number;
  key: "enabled" | "disabled" | "expired" | "exhausted";
  tone: DotTone;
}[] = [
  { status: TOKEN_STATUS.enabled, key: "enabled", tone: "green" },
  { status: TOKEN_STATUS.disabled, key: "disabled", tone: "idle" },
  { status: TOKEN_STATUS.expired, key: "expired", tone: "amber" },
  { status: TOKEN_STATUS.exhausted, key: "exhausted", tone: "red" },
];

export function TokenStatus({ status }: { status: number }) {
  const { t } = useTranslation("tokens");
  const found = STATUSES.find((known) => known.status === status) ?? { key: "unknown", tone: "idle" as const };
  return <StatusDot tone={found.tone}>{t(`status.${found.key}`)}</StatusDot>;
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** The name, and a shield with the addresses where only some may call. */
export function TokenName({
  token,
  isWhole = false,
}: {
  token: TokenRow;
  /** Wraps where a cell cuts. */ isWhole?: boolean;
}) {
  const { t } = useTranslation("tokens");
  const addresses = lines(token.allow_ips);
  return (
    <span className={styles.name}>
      <Tooltip label={visible(token.name)} disabled={isWhole || token.name.length < 18}>
        <span className={`tp-name ${isWhole ? styles.nameWhole : styles.nameText}`}>
          <Name text={token.name} />
        </span>
      </Tooltip>
      {addresses.length > 0 && (
        <Tooltip label={<span className={styles.lines}>{[t("onlyFrom"), ...addresses].join("\n")}</span>}>
          <span
            className={styles.shield}
            role="img"
            aria-label={t("onlyFromList", { addresses: addresses.join(", ") })}
          >
            <IconShield size={15} stroke={1.5} aria-hidden />
          </span>
        </Tooltip>
      )}
    </span>
  );
}

export function TokenKey({ token, isIconShown = false }: { token: TokenRow; isIconShown?: boolean }) {
  const { t } = useTranslation("tokens");
  if (!isKeyKnown(token)) return <span>{t("keyUnknown")}</span>;
  return (
    <Copy text={fullKey(token.key)} label={t("copyKey")} isIconShown={isIconShown}>
      <span className={`mono ${styles.key}`}>{shortKey(token.key)}</span>
    </Copy>
  );
}

/** The group calls are made in, with its ratio. */
export function TokenGroup({ token, groups }: { token: TokenRow; groups: GroupEntries | undefined }) {
  const { t } = useTranslation("tokens");
  const viewer = useViewer();
  const name = token.group || viewer?.group || "default";
  const entry = groups?.[name];
  return (
    <Tooltip label={groups && entry === undefined ? t("groupGone") : visible(entry?.desc ?? name)}>
      <span className={styles.group}>
        <Name text={name} />
        {entry && <span className={styles.ratio}>{formatRatio(entry.ratio)}</span>}
        {groups && entry === undefined && <span className={styles.gone}>{t("groupUnusable")}</span>}
      </span>
    </Tooltip>
  );
}

function TokenModels({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const names = token.model_limits_enabled ? token.model_limits.split(",").filter((name) => name !== "") : [];
  if (!token.model_limits_enabled) return <Faint>{t("allModels")}</Faint>;
  return (
    <Tooltip label={<span className={styles.lines}>{names.join("\n")}</span>} disabled={names.length === 0}>
      {names.length === 1 ? (
        <span>
          <ModelLink model={names[0] ?? ""} />
        </span>
      ) : (
        <span>{t("models", { count: names.length })}</span>
      )}
    </Tooltip>
  );
}

const Remaining = ({ token }: { token: TokenRow }) => {
  const { t } = useTranslation("tokens");
  return token.unlimited_quota ? (
    <Faint>{t("unlimited")}</Faint>
  ) : (
    <RemainingQuota remaining={token.remain_quota} used={token.used_quota} />
  );
};

const Never = () => {
  const { t } = useTranslation("tokens");
  return <Faint>{t("never")}</Faint>;
};

export function useTokenColumns(groups: GroupEntries | undefined): Column<TokenRow>[] {
  const { t } = useTranslation("tokens");
  return [
    { id: "name", header: t("columns.name"), width: 174, sortBy: "name", cell: (token) => <TokenName token={token} /> },
    { id: "key", header: t("columns.key"), width: 125, dropPriority: 2, cell: (token) => <TokenKey token={token} /> },
    {
      id: "status",
      header: t("columns.status"),
      width: 96,
      sortBy: "status",
      cell: (token) => <TokenStatus status={token.status} />,
    },
    {
      id: "group",
      header: t("columns.group"),
      width: 90,
      dropPriority: 3,
      cell: (token) => <TokenGroup token={token} groups={groups} />,
    },
    {
      id: "used",
      header: t("columns.used"),
      width: 86,
      dropPriority: 1,
      isNumeric: true,
      sortBy: "used_quota",
      cell: (token) => <Quota quota={token.used_quota} />,
    },
    {
      id: "remaining",
      header: t("columns.remaining"),
      width: 142,
      isNumeric: true,
      sortBy: "remain_quota",
      cell: (token) => <Remaining token={token} />,
    },
    {
      id: "models",
      header: t("columns.models"),
      width: 133,
      dropPriority: 5,
      cell: (token) => <TokenModels token={token} />,
    },
    {
      id: "used_at",
      header: t("columns.lastUsed"),
      width: 88,
      dropPriority: 4,
      sortBy: "accessed_time",
      cell: (token) =>
        token.accessed_time === 0 ? <Faint>{t("neverUsed")}</Faint> : <Time atS={token.accessed_time} />,
    },
    {
      id: "expires",
      header: t("columns.expires"),
      width: 106,
      dropPriority: 6,
      sortBy: "expired_time",
      cell: (token) => (token.expired_time === NEVER_EXPIRES ? <Never /> : <Time atS={token.expired_time} />),
    },
    {
      id: "created",
      header: t("columns.created"),
      width: 110,
      dropPriority: 7,
      sortBy: "created_time",
      isOffAtFirst: true,
      cell: (token) => <Time atS={token.created_time} />,
    },
  ];
}
