/** The price list: every model the viewer can reach, with what it costs in the group they look through. Open to visitors. */
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconChevronRight, IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Modality } from "../../../../contract/src/pricing/listed-facts.ts";
import type { ModelKind } from "../../../../contract/src/pricing/model-kind.ts";
import { copyText } from "../../lib/clipboard.ts";
import { formatNumber, formatRatio } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { Tag, ratioTone } from "../../ui/display/tags.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { buttonLook } from "../../ui/plain.tsx";
import {
  priceColumns,
  priceSpans,
  Availability,
  CallPrice,
  completionText,
  ContextLength,
  GroupTags,
  ModelName,
  NoPrice,
} from "./columns.tsx";
import { FilterColumn, SortFilter, useGroupSwitch } from "./filter-column.tsx";
import { comparedText, MOST_COMPARED } from "./model/compare.ts";
import { OTHER_VENDOR } from "./model/families.ts";
import { capitalised, type PriceRow, type PriceView, withoutZeros } from "./model/price-list.ts";
import { Formula } from "./formula.tsx";
import styles from "./pricing.module.css";
import { pricingQuery, speedsQuery, usesQuery } from "./queries.ts";
import help from "./ratio-help.module.css";
import { RatioNotes } from "./ratio-help.tsx";
import { PRICE_ROW_HEIGHT, type PricePage, usePricePage } from "./view.ts";

function Prices({ row, view }: { row: PriceRow; view: PriceView }) {
  const { t } = useTranslation("pricing");
  if (row.price.kind === "none") return <NoPrice t={t} />;
  if (row.price.kind === "call") return <CallPrice usd={row.price.call} t={t} />;
  const { input, cacheRead, output } = row.price;
  const ratios = t("card.ratios", {
    completion: completionText(row.entry.completion_ratio),
    group: formatRatio(view.groupRatio),
  });
  return (
    <>
      <dl className={styles.cardPrices}>
        {[
          { name: t("columns.input"), usd: input },
          { name: t("columns.cached"), usd: cacheRead },
          { name: t("columns.output"), usd: output },
        ].map(({ name, usd }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>${withoutZeros(usd)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.cardRatios}>
        <Tag tone={ratioTone(row.entry.model_ratio)}>{formatRatio(row.entry.model_ratio)}</Tag> {ratios}
      </div>
    </>
  );
}

/** A model on a phone: name, availability, prices, ratios and groups. */
function PriceCard({
  row,
  view,
  onGroup,
  onOpen,
}: {
  row: PriceRow;
  view: PriceView;
  onGroup: (group: string) => void;
  onOpen: () => void;
}) {
  const { t } = useTranslation("pricing");
  return (
    <div className={styles.card}>
      <div className={styles.cardTop}>
        <ModelName row={row} view={view} t={t} isIconShown />
        <Availability row={row} t={t} />
      </div>
      <Prices row={row} view={view} />
      {row.entry.context_length !== undefined && (
        <div className={styles.cardRatios}>
          {t("columns.context")} <ContextLength tokens={row.entry.context_length} />
        </div>
      )}
      <div className={styles.cardTop}>
        <GroupTags row={row} viewed={view.group} onGroup={onGroup} t={t} />
        <button type="button" className={styles.more} onClick={onOpen}>
          {t("details")}
          <span className="tp-visually-hidden">: {row.name}</span>
        </button>
      </div>
    </div>
  );
}

const ModelDrawer = lazy(async () => ({ default: (await import("./model-drawer.tsx")).ModelDrawer }));

const OPEN_WIDTH = 28;
/** Narrower than this the filter column becomes chips over the table. */
const COLUMN_QUERY = "(min-width: 1000px)";

function CopyNames({ rows }: { rows: readonly PriceRow[] }) {
  const { t } = useTranslation("pricing");
  const copy = async () => {
    if (await copyText(rows.map(({ name }) => name).join(","))) toast.success(t("copied", { count: rows.length }));
  };
  return (
    <Button leftSection={<IconCopy size={15} stroke={1.5} />} disabled={rows.length === 0} onClick={() => void copy()}>
      {rows.length === 0 ? t("copyNone") : t("copyNames", { count: rows.length })}
    </Button>
  );
}

/** To the selected models side by side; of one or of too many it says how many are wanted. */
function CompareChosen({ rows, view }: { rows: readonly PriceRow[]; view: PriceView }) {
  const { t } = useTranslation("pricing");
  if (rows.length < 2 || rows.length > MOST_COMPARED)
    return (
      <Button disabled title={t("compareHint")}>
        {t("compare")}
      </Button>
    );
  const models = comparedText(rows.map(({ name }) => name));
  return (
    <Link {...buttonLook("filled")} to="/models/compare" search={{ models, group: view.group }}>
      {t("compareChosen", { count: rows.length })}
    </Link>
  );
}

const Search = ({ page }: { page: PricePage }) => {
  const { t } = useTranslation("pricing");
  return (
    <SearchFilter
      label={t("search")}
      value={page.list.filters.keyword ?? ""}
      onChange={(keyword, step) => page.list.setFilters({ keyword }, step)}
    />
  );
};

/** The filter column's choices as chips. */
function Chips({ page }: { page: PricePage }) {
  const { t } = useTranslation("pricing");
  const show = useGroupSwitch(page);
  const own = page.groups.find((group) => group.isOwn)?.name;
  const groups = page.groups.map(({ name, ratio }) => ({ value: name, text: `${name} ${formatRatio(ratio)}` }));
  return (
    <>
      <Search page={page} />
      <ChoiceFilter
        label={t("chips.group")}
        choices={groups}
        value={page.list.filters.group}
        onChange={(group) => show(group ?? own ?? "")}
      />
      <ChoiceFilter
        label={t("column.billing")}
        choices={["0", "1"].map((value) => ({ value, text: t(`billing.${value}`) }))}
        value={page.list.filters.billing}
        onChange={(billing) => page.list.setFilters({ billing })}
      />
      <ChoiceFilter
        label={t("column.kinds")}
        choices={page.kindCounts.map(({ value }) => ({ value, text: t(`modelKind.${value as ModelKind}`) }))}
        value={page.list.filters.kind}
        onChange={(kind) => page.list.setFilters({ kind })}
      />
      {page.takenCounts.length > 0 && (
        <ChoiceFilter
          label={t("column.takes")}
          choices={page.takenCounts.map(({ value }) => ({
            value,
            text: capitalised(t(`modality.${value as Modality}`)),
          }))}
          value={page.list.filters.takes}
          onChange={(takes) => page.list.setFilters({ takes })}
        />
      )}
      <ChoiceFilter
        label={t("column.usable")}
        choices={[{ value: "1", text: t("usableHere") }]}
        value={page.list.filters.usable}
        onChange={(usable) => page.list.setFilters({ usable })}
      />
      <SortFilter page={page} />
      <ChoiceFilter
        label={t("column.vendors")}
        choices={page.vendorCounts.map(({ value }) => ({
          value,
          text: value === OTHER_VENDOR ? t("otherVendor") : value,
        }))}
        value={page.list.filters.vendor}
        onChange={(vendor) => page.list.setFilters({ vendor })}
      />
    </>
  );
}

/** Whose prices these are: the user's default group with its ratio, and the group looked through where it is another. */
function usePurpose(page: PricePage): ReactNode {
  const { t } = useTranslation("pricing");
  const { viewed, all } = page;
  if (viewed === undefined || all === undefined) return t("purpose.loading");
  const own = page.groups.find((group) => group.isOwn);
  // Ends with the space that the language sets between sentences.
  const count = t("purpose.count", { count: all.length, formatted: formatNumber(all.length) });
  // A name and its ratio stay on one line.
  const tag = (
    <span className={styles.together}>
      <Tag tone="accent">{visible(viewed.name)}</Tag> {formatRatio(viewed.ratio)}
    </span>
  );
  // A visitor's own group stands in the warning beside it.
  if (page.isGuest && viewed.isOwn) return `${count}${t("purpose.plain")}`;
  if (page.isGuest || own === undefined || viewed.isOwn) {
    return (
      <>
        {count}
        {t(viewed.isOwn ? "purpose.yours" : "purpose.group")} {tag}
      </>
    );
  }
  return (
    <>
      {count}
      {t("purpose.group")} {tag} {t("purpose.own", { group: own.name, ratio: formatRatio(own.ratio) })}
    </>
  );
}

function useGuestNotice(page: PricePage): ReactNode {
  const { t } = useTranslation("pricing");
  const own = page.groups.find((group) => group.isOwn);
  if (!page.isGuest) return undefined;
  // As long as the list loads, so that nothing moves when the ratio is known.
  return own === undefined ? t("guestShort") : t("guest", { group: own.name, ratio: formatRatio(own.ratio) });
}

/** Cards have no column with a question mark, so the notes stand here. */
const FoldedFormula = ({ view }: { view: PriceView }) => (
  <Formula isFolded>
    <div className={help.notes}>
      <RatioNotes view={view} />
    </div>
  </Formula>
);

const OpenButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <button type="button" className={styles.open} aria-label={label} onClick={onClick}>
    <IconChevronRight size={15} stroke={1.5} />
  </button>
);

interface ContentProps {
  page: PricePage;
  query: { error: unknown; isFetching: boolean; isPlaceholderData: boolean; refetch: () => unknown };
  isWide: boolean;
}

function Content({ page, query, isWide }: ContentProps) {
  const { t } = useTranslation("pricing");
  const [selected, setSelected] = useState<readonly PriceRow[]>([]);
  const [opened, setOpened] = useState<string>();
  const show = useGroupSwitch(page);
  const columns = priceColumns({
    t,
    view: page.view,
    onGroup: show,
    hasSpeeds: !page.isGuest,
    hasUses: page.hasUses,
    sortedBy: page.list.sort?.by,
  });
  const navigate = useNavigate();
  const openPage = ({ name }: PriceRow) =>
    void navigate({ to: "/models/$name", params: { name }, search: { group: page.view.group } });
  const openedRow = page.all?.find(({ name }) => name === opened);
  const count =
    page.all === undefined ? "" : t("count", { count: page.found.length, formatted: formatNumber(page.found.length) });
  return (
    <Page
      title={t("title")}
      purpose={<span className={styles.purpose}>{usePurpose(page)}</span>}
      notice={useGuestNotice(page)}
      actions={
        isWide && (
          <>
            <span className={styles.searchBox}>
              <Search page={page} />
            </span>
            <CopyNames rows={selected} />
            <CompareChosen rows={selected} view={page.view} />
          </>
        )
      }
    >
      {!isWide && <FoldedFormula view={page.view} />}
      <DataTable
        name="pricing"
        label={t("title")}
        columns={columns}
        list={page.list}
        rowKey={(row) => row.name}
        rowName={(row) => row.name}
        onOpen={openPage}
        rowHeight={PRICE_ROW_HEIGHT}
        tone={(row) => (row.isAvailable ? undefined : "off")}
        data={queryRows(query, page.all && page.shown, page.found.length)}
        hasFilterRow={!isWide}
        filters={<Chips page={page} />}
        tools={
          <span className={styles.notOnPhone}>
            <CopyNames rows={selected} />
            <CompareChosen rows={selected} view={page.view} />
          </span>
        }
        onSelection={setSelected}
        spans={(row) => priceSpans(t, row)}
        actionsWidth={OPEN_WIDTH}
        actions={(row) => (
          <OpenButton label={t("openModel", { model: row.name })} onClick={() => setOpened(row.name)} />
        )}
        card={(row) => <PriceCard row={row} view={page.view} onGroup={show} onOpen={() => setOpened(row.name)} />}
        empty={<Empty title={t("empty.title")} sentence={t("empty.text")} />}
        count={selected.length > 0 ? t("countSelected", { count: selected.length, counted: count }) : count}
        errorTitle={t("notLoaded")}
      />
      {openedRow && (
        <Suspense fallback={null}>
          <ModelDrawer row={openedRow} view={page.view} groups={page.groups} onClose={() => setOpened(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}

export function PricingPage() {
  const { t } = useTranslation("pricing");
  const isWide = useMediaQuery(COLUMN_QUERY, true, { getInitialValueInEffect: false }) ?? true;
  const viewerId = useViewer()?.id;
  const query = useQuery(pricingQuery(viewerId));
  const { model_rankings_enabled: isPublished } = useStatus();
  const [speeds, uses] = [useQuery(speedsQuery(viewerId)).data, useQuery(usesQuery(viewerId, isPublished)).data];
  const page = usePricePage(query.data, speeds, uses);
  return (
    <div className={styles.layout}>
      {isWide && <FilterColumn page={page} label={t("column.label")} isFailed={query.error !== null} />}
      <div className={styles.content}>
        <Content page={page} query={query} isWide={isWide} />
      </div>
    </div>
  );
}
