/** Up to four models side by side: prices in one group, context, what goes in and out, and how fast they begin. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { IconX } from "@tabler/icons-react";
import type { Modality } from "../../../../../contract/src/pricing/listed-facts.ts";
import { formatDurationMs, formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { useSearchState } from "../../../lib/search.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { CardGhost } from "../../../ui/display/card.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Faint } from "../../../ui/display/tags.tsx";
import { Empty } from "../../../ui/feedback/empty.tsx";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { Page } from "../../../ui/page.tsx";
import { buttonLook, IconButton, QUIET_LINK } from "../../../ui/plain.tsx";
import { comparedNames, comparedText, lowestOf, MOST_COMPARED } from "../model/compare.ts";
import { OTHER_VENDOR, vendorOf } from "../model/families.ts";
import { capitalised, type PriceRow, type PriceView, priceRows, withoutZeros } from "../model/price-list.ts";
import { TryLink } from "../price-tables.tsx";
import { pricingQuery, speedsQuery } from "../queries.ts";
import { compareSearch } from "../route.ts";
import { type GroupView, type PriceList, useGroupView } from "../view.ts";
import styles from "./compare.module.css";
import { ListFailed } from "./list-failed.tsx";

type Speeds = Readonly<Record<string, number>>;

interface Line {
  id: string;
  name: string;
  /** One a model; null where it is not known. */
  values: readonly ReactNode[];
  /** Places of the values that are the best of the line. */
  best?: ReadonlySet<number>;
}

const usdOf = (row: PriceRow, part: "input" | "cacheRead" | "output"): string | undefined =>
  row.price.kind === "tokens" ? withoutZeros(row.price[part]) : undefined;

/** A line of dollars for 1M tokens, the lowest marked. */
function priceLine(rows: readonly PriceRow[], part: "input" | "cacheRead" | "output", name: string): Line {
  const texts = rows.map((row) => usdOf(row, part));
  return {
    id: part,
    name,
    values: texts.map((text) => (text === undefined ? null : `$${text}`)),
    best: lowestOf(texts.map((text) => (text === undefined ? undefined : Number(text)))),
  };
}

function useLines(rows: readonly PriceRow[], speeds: Speeds | undefined): Line[] {
  const { t } = useTranslation("pricing");
  const words = (modalities: readonly Modality[] | undefined): string | null =>
    modalities === undefined || modalities.length === 0
      ? null
      : capitalised(modalities.map((each) => t(`modality.${each}`)).join(t("comma")));
  const firstTokens = rows.map(({ name }) => speeds?.[name]);
  const contexts = rows.map(({ entry }) => entry.context_length);
  const lines: Line[] = [
    priceLine(rows, "input", t("columns.input")),
    priceLine(rows, "cacheRead", t("columns.cached")),
    priceLine(rows, "output", t("columns.output")),
    {
      id: "call",
      name: t("drawer.oneCall"),
      values: rows.map(({ price }) => (price.kind === "call" ? `$${withoutZeros(price.call)}` : null)),
      best: lowestOf(rows.map(({ price }) => (price.kind === "call" ? Number(price.call) : undefined))),
    },
    {
      id: "context",
      name: t("facts.context"),
      values: contexts.map((tokens) => (tokens === undefined ? null : formatNumber(tokens))),
      best: lowestOf(contexts.map((tokens) => (tokens === undefined ? undefined : -tokens))),
    },
    {
      id: "firstToken",
      name: t("columns.firstToken"),
      values: firstTokens.map((ms) => (ms === undefined ? null : `~${formatDurationMs(ms)}`)),
      best: lowestOf(firstTokens),
    },
    { id: "kind", name: t("facts.kind"), values: rows.map(({ entry }) => t(`modelKind.${entry.kind}`)) },
    { id: "inputs", name: t("facts.inputs"), values: rows.map(({ entry }) => words(entry.input_modalities)) },
    { id: "outputs", name: t("facts.outputs"), values: rows.map(({ entry }) => words(entry.output_modalities)) },
    {
      id: "vendor",
      name: t("facts.vendor"),
      values: rows.map(({ entry }) => (vendorOf(entry) === OTHER_VENDOR ? null : vendorOf(entry))),
    },
    {
      id: "groups",
      name: t("columns.groups"),
      values: rows.map(({ entry }) => entry.enable_groups.map(visible).join(t("comma")) || null),
    },
  ];
  return lines.filter(({ values }) => values.some((value) => value !== null));
}

function Head({ row, view, onRemove }: { row: PriceRow; view: PriceView; onRemove: () => void }) {
  const { t } = useTranslation("pricing");
  return (
    <th scope="col">
      <div className={styles.head}>
        <ModelMark model={row.name} size={20} />
        <Link {...QUIET_LINK} to="/models/$name" params={{ name: row.name }} search={{ group: view.group }}>
          <span className={`${styles.name} mono`}>{visible(row.name)}</span>
        </Link>
        <IconButton label={t("page.remove", { model: row.name })} onClick={onRemove}>
          <IconX size={14} stroke={1.5} />
        </IconButton>
      </div>
    </th>
  );
}

interface TableProps {
  rows: readonly PriceRow[];
  view: PriceView;
  speeds: Speeds | undefined;
  onRemove: (name: string) => void;
}

function Comparison({ rows, view, speeds, onRemove }: TableProps) {
  const { t } = useTranslation("pricing");
  const lines = useLines(rows, speeds);
  return (
    <div className={styles.scroll} role="region" tabIndex={0} aria-label={t("page.compareTitle")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">
              <span className="tp-visually-hidden">{t("page.fact")}</span>
            </th>
            {rows.map((row) => (
              <Head key={row.name} row={row} view={view} onRemove={() => onRemove(row.name)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ id, name, values, best }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {rows.map((row, place) => (
                <td key={row.name} data-label={visible(row.name)} data-is-best={best?.has(place) || undefined}>
                  {values[place] ?? <Faint>–</Faint>}
                  {best?.has(place) && <span className="tp-visually-hidden"> {t("page.best")}</span>}
                </td>
              ))}
            </tr>
          ))}
          <tr className={styles.acts}>
            <th scope="row">
              <span className="tp-visually-hidden">{t("page.acts")}</span>
            </th>
            {rows.map((row) => (
              <td key={row.name} data-label={visible(row.name)}>
                <TryLink row={row} view={view} text={t("page.try")} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

interface PickProps {
  list: PriceList;
  names: readonly string[];
  groupView: GroupView;
  onNames: (names: readonly string[]) => void;
  onGroup: (group: string) => void;
}

function Picks({ list, names, groupView: { groups, view }, onNames, onGroup }: PickProps) {
  const { t } = useTranslation("pricing");
  const others = list.entries.map(({ model_name }) => model_name).filter((name) => !names.includes(name));
  const choices = [{ value: "", text: t("page.addModel") }, ...others.map((value) => ({ value, text: value }))];
  return (
    <div className={styles.picks}>
      {names.length < MOST_COMPARED && (
        <ChoiceOnUse
          label={t("page.addModel")}
          choices={choices}
          value=""
          onChange={(name) => onNames([...names, name])}
        />
      )}
      {groups.length > 1 && (
        <ChoiceOnUse
          label={t("page.group")}
          choices={groups.map(({ name }) => ({ value: name, text: visible(name) }))}
          value={view.group}
          onChange={onGroup}
        />
      )}
    </div>
  );
}

function Content({ list, groupView, names, ...picks }: Omit<PickProps, "names"> & { names: readonly string[] }) {
  const { t } = useTranslation("pricing");
  const speeds = useQuery(speedsQuery(useViewer()?.id)).data;
  const { view } = groupView;
  const known = names.flatMap((name) => list.entries.find(({ model_name }) => model_name === name) ?? []);
  const rows = known.flatMap((entry) => priceRows([entry], view));
  return (
    <div className={styles.body}>
      <Picks list={list} names={names} groupView={groupView} {...picks} />
      {rows.length === 0 ? (
        <Empty title={t("page.nothingCompared.title")} sentence={t("page.nothingCompared.text")} />
      ) : (
        <Comparison
          rows={rows}
          view={view}
          speeds={speeds}
          onRemove={(gone) => picks.onNames(names.filter((name) => name !== gone))}
        />
      )}
      {names.length > known.length && <p className={styles.unknown}>{t("page.someUnknown")}</p>}
    </div>
  );
}

export function ComparePage() {
  const { t } = useTranslation("pricing");
  const [search, change] = useSearchState(compareSearch);
  const { data, error, refetch } = useQuery(pricingQuery(useViewer()?.id));
  const groupView = useGroupView(data, search.group);
  const names = comparedNames(search.models);
  return (
    <Page
      title={t("page.compareTitle")}
      purpose={t("page.comparePurpose", { group: groupView.view.group })}
      actions={
        <Link {...buttonLook()} to="/pricing">
          {t("page.all")}
        </Link>
      }
    >
      {data === undefined && error !== null && <ListFailed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <div className={styles.body}>
          <CardGhost heightPx={320} />
        </div>
      )}
      {data !== undefined && (
        <Content
          list={data}
          groupView={groupView}
          names={names}
          onNames={(next) => change({ models: comparedText(next) })}
          onGroup={(group) => change({ group })}
        />
      )}
    </Page>
  );
}
