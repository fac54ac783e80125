/** The page of one model: what it costs in every group, what it can do, how its calls go, the viewer's spend, and code that calls it. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { useSearchState } from "../../../lib/search.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { Card, CardColumn, CardGhost } from "../../../ui/display/card.tsx";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { Empty } from "../../../ui/feedback/empty.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Page } from "../../../ui/page.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import { type PriceRow, type PriceView, priceRows } from "../model/price-list.ts";
import {
  CallLine,
  Facts,
  GroupTable,
  LikeText,
  PartTable,
  TierTable,
  TryLink,
  useAvailability,
} from "../price-tables.tsx";
import { pricingQuery } from "../queries.ts";
import { modelSearch } from "../route.ts";
import { type GroupChoice, useGroupView } from "../view.ts";
import styles from "./detail.module.css";
import { CacheCard } from "./cached.tsx";
import { CodeCard } from "./code-card.tsx";
import { ChannelsCard, FiguresCards } from "./figures.tsx";
import { ListFailed } from "./list-failed.tsx";

/** Where the choice is of more, they stand in a list. */
const MOST_SIDE_BY_SIDE = 4;

interface GroupProps {
  groups: readonly GroupChoice[];
  viewed: string;
  onGroup: (group: string) => void;
}

function GroupSwitch({ groups, viewed, onGroup }: GroupProps) {
  const { t } = useTranslation("pricing");
  if (groups.length < 2) return null;
  const options = groups.map(({ name }) => ({ value: name, text: visible(name) }));
  if (groups.length > MOST_SIDE_BY_SIDE)
    return <ChoiceOnUse label={t("page.group")} choices={options} value={viewed} onChange={onGroup} />;
  return <Segmented label={t("page.group")} options={options} value={viewed} onChange={onGroup} />;
}

function PriceCard({ row, view, groups, onGroup }: { row: PriceRow; view: PriceView } & Omit<GroupProps, "viewed">) {
  const { t } = useTranslation("pricing");
  const usable = groups.filter(({ name }) => row.entry.enable_groups.includes(name));
  const choices = groups.filter((group) => group.name === view.group || usable.includes(group));
  return (
    <Card
      title={t("page.prices")}
      text={useAvailability({ row, view })}
      action={<GroupSwitch groups={choices} viewed={view.group} onGroup={onGroup} />}
    >
      {row.price.kind === "tokens" && (
        <div className={styles.tables}>
          <PartTable row={row} view={view} />
          <LikeText row={row} />
          <TierTable row={row} view={view} />
        </div>
      )}
      <CallLine row={row} />
      {usable.length > 0 && (
        <div className={styles.tables}>
          <GroupTable row={row} view={view} groups={groups} />
        </div>
      )}
    </Card>
  );
}

type Endpoints = Readonly<Record<string, { path: string; method: string }>>;

function AboutCard({ row, endpoints }: { row: PriceRow; endpoints: Endpoints }) {
  const { t } = useTranslation("pricing");
  const addresses = row.entry.supported_endpoint_types.flatMap((type) => endpoints[type] ?? []);
  return (
    <Card title={t("page.about")}>
      <div className={styles.tables}>
        <Facts row={row} />
      </div>
      {addresses.length > 0 && (
        <div>
          <p className={styles.small}>{t("page.endpoints")}</p>
          <ul className={styles.endpoints}>
            {addresses.map(({ method, path }) => (
              <li key={path} className="mono">
                {method} {path.replace("{model}", visible(row.name))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Card>
  );
}

function ForUsers() {
  const { t } = useTranslation("pricing");
  return (
    <Card
      title={t("page.availability")}
      text={t("page.forUsers")}
      action={
        <Link {...buttonLook()} to="/login" search={{ next: window.location.pathname }}>
          {t("page.logIn")}
        </Link>
      }
    />
  );
}

interface ModelProps {
  row: PriceRow;
  view: PriceView;
  groups: readonly GroupChoice[];
  endpoints: Endpoints;
}

function Model({ row, view, groups, endpoints }: ModelProps) {
  const viewer = useViewer();
  const [, change] = useSearchState(modelSearch);
  const own = groups.find(({ isOwn }) => isOwn)?.name;
  const onGroup = (group: string) => change({ group: group === own ? undefined : group });
  const about = <AboutCard row={row} endpoints={endpoints} />;
  return (
    <div className={styles.body}>
      <div className={styles.columns}>
        <CardColumn>
          <PriceCard row={row} view={view} groups={groups} onGroup={onGroup} />
          {viewer !== null && about}
        </CardColumn>
        <CardColumn>
          {viewer === null ? (
            <>
              {about}
              <ForUsers />
            </>
          ) : (
            <>
              <FiguresCards viewerId={viewer.id} model={row.name} />
              {row.entry.kind === "chat" && <CacheCard viewerId={viewer.id} model={row.name} />}
            </>
          )}
        </CardColumn>
      </div>
      {viewer !== null && <ChannelsCard viewerId={viewer.id} model={row.name} />}
      <CodeCard model={row.name} kind={row.entry.kind} />
    </div>
  );
}

/** The page while there is no model to show: it loads, could not be loaded, or is not offered. */
function NoModel({ name, query }: { name: string; query: { data: unknown; error: unknown; refetch: () => unknown } }) {
  const { t } = useTranslation("pricing");
  if (query.data !== undefined)
    return (
      <Empty
        title={t("page.unknown.title")}
        sentence={t("page.unknown.text", { model: visible(name) })}
        actions={
          <Link {...buttonLook()} to="/pricing">
            {t("page.all")}
          </Link>
        }
      />
    );
  if (query.error !== null) return <ListFailed error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={`${styles.body} ${styles.waiting}`}>
      <CardGhost heightPx={320} />
      <CardGhost heightPx={220} />
    </div>
  );
}

const CompareLink = ({ name, group }: { name: string; group: string }) => {
  const { t } = useTranslation("pricing");
  return (
    <Link {...buttonLook()} to="/models/compare" search={{ models: name, group }}>
      {t("page.compare")}
    </Link>
  );
};

/** What can be done with the model; before it is there, the room for it: buttons in a line of their own push the page down. */
function Acts({ name, row, view }: { name: string; row: PriceRow | undefined; view: PriceView }) {
  const { t } = useTranslation("pricing");
  const isUser = useViewer() !== null;
  return (
    <span className={row === undefined ? styles.later : styles.acts} aria-hidden={row === undefined || undefined}>
      <CopyButton text={name} label={t("copyName")} />
      <CompareLink name={name} group={view.group} />
      {row === undefined ? (
        isUser && <span {...buttonLook("filled")}>{t("page.try")}</span>
      ) : (
        <TryLink row={row} view={view} look="filled" text={t("page.try")} />
      )}
    </span>
  );
}

export function ModelPage() {
  const { t } = useTranslation("pricing");
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const [search] = useSearchState(modelSearch);
  const query = useQuery(pricingQuery(useViewer()?.id));
  const { groups, view } = useGroupView(query.data, search.group);
  const entry = query.data?.entries.find(({ model_name }) => model_name === name);
  const [row] = entry === undefined ? [] : priceRows([entry], view);
  return (
    <Page
      title={visible(name)}
      purpose={
        <Link to="/pricing" className={styles.back}>
          {t("page.all")}
        </Link>
      }
      notice={row?.entry.expiration_date && t("retires", { day: row.entry.expiration_date })}
      actions={(row !== undefined || query.isPending) && <Acts name={name} row={row} view={view} />}
    >
      {row === undefined || query.data === undefined ? (
        <NoModel name={name} query={query} />
      ) : (
        <Model row={row} view={view} groups={groups} endpoints={query.data.endpoints} />
      )}
    </Page>
  );
}
