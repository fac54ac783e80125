/** The page of one channel: its state, its last failures in the upstream's wording, its changes, and its form. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState, type ReactNode } from "react";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { loadTexts, useTranslation } from "../../../lib/i18n.ts";
import { apart, visible } from "../../../lib/names.ts";
import { useSearchState } from "../../../lib/search.ts";
import { useMay } from "../../../lib/viewer.ts";
import { LastChange } from "../../../ui/audit/last-change.tsx";
import { Card, CardGhost, Fact, Facts, Row, Rows } from "../../../ui/display/card.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Page } from "../../../ui/page.tsx";
import { PageTabs } from "../../../ui/page-tabs.tsx";
import { buttonLook, QUIET_LINK } from "../../../ui/plain.tsx";
import { ResponseCell, StatusCell } from "../list/cells.tsx";
import { providersQuery } from "../queries.ts";
import { CHANNEL_TABS, channelPageSearch, type ChannelTab } from "../route.ts";
import styles from "./detail.module.css";
import { OverviewGhosts, OverviewTab } from "./overview-tab.tsx";
import { failuresQuery, shownChannelQuery } from "./queries.ts";

const KeysDrawer = lazy(async () => {
  const [part] = await Promise.all([import("../keys/keys-drawer.tsx"), loadTexts("channel-keys")]);
  return { default: part.KeysDrawer };
});
const AuditTrail = lazy(async () => {
  const [part] = await Promise.all([import("../../../ui/audit/trail.tsx"), loadTexts("audit")]);
  return { default: part.AuditTrail };
});
const EditTab = lazy(async () => {
  const [part] = await Promise.all([import("./edit-tab.tsx"), loadTexts("channel-editor", "channel-keys")]);
  return { default: part.EditTab };
});

function Head({ channel, onKeys }: { channel: ChannelRow; onKeys: () => void }) {
  const { t } = useTranslation("channels");
  const provider = useQuery(providersQuery).data?.find(({ id }) => id === channel.type);
  return (
    <div className={styles.head}>
      <Facts>
        <Fact name={t("columns.status")}>
          <StatusCell channel={channel} onKeys={onKeys} />
        </Fact>
        <Fact name={t("detail.type")}>
          <span className={styles.type}>{provider?.name ?? "–"}</span>
        </Fact>
        <Fact name={t("columns.used")}>
          <Quota quota={channel.used_quota} />
        </Fact>
        <Fact name={t("columns.response")}>
          <ResponseCell channel={channel} />
        </Fact>
        <Fact name={t("columns.priority")}>{channel.priority}</Fact>
        <Fact name={t("columns.weight")}>{channel.weight}</Fact>
      </Facts>
      <div className={styles.changed} style={{ paddingInline: 0 }}>
        <LastChange kind="channel" object={String(channel.id)} />
      </div>
    </div>
  );
}

/** Failures in the upstream's wording. */
function FailuresTab({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const query = useQuery(failuresQuery(channel.id));
  const rows = query.data?.items;
  return (
    <Card
      title={t("detail.tab.failures")}
      text={t("detail.failuresText")}
      action={
        <Link {...buttonLook()} to="/log" search={{ channel: String(channel.id), type: "5" }}>
          {t("detail.log")}
        </Link>
      }
    >
      {rows === undefined && query.error !== null && (
        <ErrorState title={t("detail.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {rows === undefined && query.error === null && <CardGhost heightPx={120} />}
      {rows?.length === 0 && <p className={styles.nothing}>{t("detail.noFailures")}</p>}
      <Rows>
        {rows?.map((row) => (
          <Row
            key={row.id}
            name={
              <Link {...QUIET_LINK} to="/log" search={{ request_id: row.request_id }}>
                <span className="mono">{visible(row.model_name)}</span>
              </Link>
            }
            value={<span className={styles.words}>{visible(row.content)}</span>}
            action={<Time atS={row.created_at} />}
          />
        ))}
      </Rows>
    </Card>
  );
}

function HistoryTab({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  return (
    <Card title={t("detail.tab.history")} text={t("detail.historyText")}>
      <Suspense fallback={<CardGhost heightPx={120} />}>
        <AuditTrail kind="channel" object={String(channel.id)} />
      </Suspense>
    </Card>
  );
}

interface TabProps {
  channel: ChannelRow;
  onKeys: () => void;
}

const TABS: Readonly<Record<ChannelTab, (props: TabProps) => ReactNode>> = {
  overview: OverviewTab,
  failures: FailuresTab,
  history: HistoryTab,
  edit: (props) => (
    <Suspense fallback={<CardGhost heightPx={330} />}>
      <EditTab {...props} />
    </Suspense>
  ),
};

function ChannelTabs({ channel, onKeys }: TabProps) {
  const { t } = useTranslation("channels");
  const mayReadLog = useMay("logs");
  const [search, change] = useSearchState(channelPageSearch);
  const tabs = CHANNEL_TABS.filter((tab) => tab !== "failures" || mayReadLog);
  const open = tabs.find((tab) => tab === search.tab) ?? "overview";
  const Tab = TABS[open];
  return (
    <>
      <div className={styles.tabs}>
        <PageTabs
          label={t("detail.tabs")}
          tabs={tabs.map((name) => ({ name, text: t(`detail.tab.${name}`) }))}
          open={open}
          onOpen={(tab) => change({ tab })}
        />
      </div>
      <div className={styles.body}>
        <Tab channel={channel} onKeys={onKeys} />
      </div>
    </>
  );
}

export function ChannelPage() {
  const { t } = useTranslation("channels");
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useQuery(shownChannelQuery(Number(id)));
  const [hasKeys, setHasKeys] = useState(false);
  const channel = query.data;
  if (channel === undefined)
    return (
      <Page title={t("detail.title", { id })}>
        {query.error === null ? (
          <div className={styles.body}>
            <CardGhost heightPx={110} />
            <OverviewGhosts />
          </div>
        ) : (
          <ErrorState
            title={t("detail.notLoaded")}
            error={query.error}
            onRetry={() => void query.refetch()}
            absent={{
              title: t("detail.absent"),
              link: (
                <Link {...buttonLook()} to="/channel">
                  {t("detail.all")}
                </Link>
              ),
            }}
          />
        )}
      </Page>
    );
  return (
    <Page
      title={apart(channel.name)}
      purpose={`#${channel.id}`}
      actions={<Button onClick={() => setHasKeys(true)}>{t("actions.keys")}</Button>}
    >
      <Head channel={channel} onKeys={() => setHasKeys(true)} />
      <ChannelTabs channel={channel} onKeys={() => setHasKeys(true)} />
      <Suspense>{hasKeys && <KeysDrawer channel={channel} onClose={() => setHasKeys(false)} />}</Suspense>
    </Page>
  );
}
