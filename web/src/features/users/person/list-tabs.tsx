/** The lists of a person's page: their newest calls, tokens, orders, and the ledger of what changed the balance beside calls. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { AdminLog } from "../../../../../contract/src/features/logs.ts";
import type { LedgerEntry, Person, PersonToken } from "../../../../../contract/src/people.ts";
import { TOKEN_STATUS } from "../../../../../contract/src/features/tokens.ts";
import type { ManagedOrder } from "../../../../../contract/src/payments/orders.ts";
import { formatNumber, formatQuota } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Card, Row, Rows } from "../../../ui/display/card.tsx";
import { Name } from "../../../ui/display/name.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { StatusDot, Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { buttonLook, PlainButton, QUIET_LINK } from "../../../ui/plain.tsx";
import { Loaded, Nothing, Older } from "./parts.tsx";
import styles from "./person.module.css";
import { callsQuery, ledgerQuery, ordersQuery, TOKEN_ROWS, tokensQuery } from "./queries.ts";

const FAILED = 5;
/** As the usage log has it. */
const COST_DECIMALS = 6;

function CallRow({ row }: { row: AdminLog }) {
  const { t } = useTranslation("users");
  return (
    <Row
      name={
        <Link {...QUIET_LINK} to="/log" search={{ request_id: row.request_id }}>
          <span className="mono">{visible(row.model_name) || t("person.calls.noModel")}</span>
        </Link>
      }
      value={
        <>
          <Time atS={row.created_at} /> · {visible(row.token_name) || t("person.calls.noToken")} ·{" "}
          {t("person.calls.tokens", { formatted: formatNumber(row.prompt_tokens + row.completion_tokens) })}
        </>
      }
      action={
        row.type === FAILED ? (
          <Tag tone="red">{t("person.calls.failed")}</Tag>
        ) : (
          <Quota quota={row.quota} decimals={COST_DECIMALS} />
        )
      }
    />
  );
}

export function CallsTab({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const query = useQuery(callsQuery(person.id, person.username));
  return (
    <Card
      title={t("person.tab.calls")}
      text={t("person.calls.text")}
      action={
        <Link {...buttonLook()} to="/log" search={{ username: person.username }}>
          {t("person.calls.log")}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>{t("person.calls.nothing")}</Nothing>
          ) : (
            <Rows>
              {items.map((row) => (
                <CallRow key={row.id} row={row} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  );
}

const TOKEN_STATES = {
  [TOKEN_STATUS.enabled]: ["green", "enabled"],
  [TOKEN_STATUS.disabled]: ["idle", "disabled"],
  [TOKEN_STATUS.expired]: ["amber", "expired"],
  [TOKEN_STATUS.exhausted]: ["red", "exhausted"],
} as const;

/** When the token expires or has. @param atS Unix seconds; -1: never */
function Expiry({ atS }: { atS: number }) {
  const { t } = useTranslation("users");
  const [nowMs] = useState(Date.now);
  if (atS === -1) return t("person.tokens.noEnd");
  return (
    <>
      {t(atS * 1000 > nowMs ? "person.tokens.ends" : "person.tokens.ended")} <Time atS={atS} />
    </>
  );
}

function TokenItem({ token }: { token: PersonToken }) {
  const { t } = useTranslation("users");
  const [tone, word] = TOKEN_STATES[token.status as keyof typeof TOKEN_STATES] ?? TOKEN_STATES[TOKEN_STATUS.disabled];
  const used = formatQuota(token.used_quota);
  return (
    <Row
      name={
        <span className={styles.tokenName}>
          <Name text={token.name} /> <StatusDot tone={tone}>{t(`person.tokens.${word}`)}</StatusDot>
        </span>
      }
      value={
        <>
          {token.unlimited_quota
            ? t("person.tokens.unlimited", { used })
            : t("person.tokens.left", { left: formatQuota(token.remain_quota), used })}
          {token.group !== "" && ` · ${visible(token.group)}`} ·{" "}
          {token.accessed_time === 0 ? t("person.never") : <Time atS={token.accessed_time} />}
        </>
      }
      action={
        <span className={styles.faint}>
          <Expiry atS={token.expired_time} />
        </span>
      }
    />
  );
}

export function TokensTab({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const [page, setPage] = useState(1);
  const query = useQuery(tokensQuery(person.id, page));
  return (
    <Card title={t("person.tab.tokens")} text={t("person.tokens.text")}>
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            {items.length === 0 && <Nothing>{t("person.tokens.nothing")}</Nothing>}
            <Rows>
              {items.map((token) => (
                <TokenItem key={token.id} token={token} />
              ))}
            </Rows>
            {total > TOKEN_ROWS && (
              <div className={styles.older}>
                <PlainButton onClick={() => setPage(page * TOKEN_ROWS < total ? page + 1 : 1)}>
                  {page * TOKEN_ROWS < total ? t("person.older") : t("person.first")}
                </PlainButton>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function LedgerRow({ entry }: { entry: LedgerEntry }) {
  const { t } = useTranslation("users");
  const { quota_delta: change, reason, actor } = entry;
  return (
    <Row
      name={t(`person.ledger.kinds.${entry.kind}`)}
      value={
        <>
          <Time atS={entry.created_at} />
          {actor !== "" && <> · {t("person.ledger.by", { name: visible(actor) })}</>}
          {reason !== "" && <> · {visible(reason)}</>}
        </>
      }
      action={
        <span className={styles.amount} data-is-less={change < 0 || undefined}>
          {change > 0 && "+"}
          {formatQuota(change)}
        </span>
      }
    />
  );
}

export function LedgerTab({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const query = useInfiniteQuery(ledgerQuery(person.id));
  return (
    <Card title={t("person.tab.ledger")} text={t("person.ledger.text")}>
      <Loaded query={query}>
        {({ pages }) => (
          <>
            {pages[0]?.length === 0 && <Nothing>{t("person.ledger.nothing")}</Nothing>}
            <Rows>
              {pages.flat().map((entry) => (
                <LedgerRow key={entry.id} entry={entry} />
              ))}
            </Rows>
            <Older query={query} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function OrderRow({ order }: { order: ManagedOrder }) {
  const { t } = useTranslation("users");
  return (
    <Row
      name={`${order.money} ${order.currency}`}
      value={
        <>
          <Time atS={order.created_time} /> · {order.method} · {t(`person.orders.status.${order.status}`)}
        </>
      }
      action={<Quota quota={order.quota} />}
    />
  );
}

export function OrdersTab({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const query = useQuery(ordersQuery(person.id));
  return (
    <Card
      title={t("person.tab.orders")}
      action={
        <Link {...buttonLook()} to="/topup/orders" search={{ user: person.username }}>
          {t("person.orders.all")}
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <>
            {items.length === 0 && <Nothing>{t("person.orders.nothing")}</Nothing>}
            <Rows>
              {items.map((order) => (
                <OrderRow key={order.id} order={order} />
              ))}
            </Rows>
          </>
        )}
      </Loaded>
    </Card>
  );
}
