/** The section 'price list' of the settings page: which list is in force, fetching a newer one, what was accepted and what the last upgrade changed. */
import { Button, TextInput } from "@mantine/core";
import { IconChevronDown, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { fetchPriceList, type getPriceList, undoPriceList } from "../../../../../contract/src/features/prices.ts";
import { call, ApiError } from "../../../lib/api.ts";
import { formatDate, formatNumber } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { FetchedLines } from "./fetched.tsx";
import { LineTable } from "./line-table.tsx";
import { priceListQuery, refreshPrices, optionRowsQuery } from "./queries.ts";
import styles from "./list.module.css";
import type { AcceptedChange } from "../../../../../contract/src/pricing/list-lines.ts";
import { visible } from "../../../lib/names.ts";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { useRole } from "../../../lib/viewer.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { updateOption } from "../../../../../contract/src/features/options.ts";

const KEY = "PriceListUrl";
/** Where genai-prices publishes its list, which the product's own is made of. */
const SUGGESTED = "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json";

function useSave(onSaved: () => void) {
  const { t } = useTranslation("prices");
  const client = useQueryClient();
  const revision = useQuery(optionRowsQuery).data?.find(({ key }) => key === KEY)?.revision;
  return useMutation({
    mutationFn: (value: string) =>
      withStepUp(() =>
        call(updateOption, { body: { key: KEY, value, ...(revision === undefined ? {} : { revision }) } }).then(
          () => true,
        ),
      ),
    meta: { showsOwnError: true },
    onSuccess: async (isStored) => {
      if (isStored !== true) return;
      await Promise.all([
        client.invalidateQueries({ queryKey: ["options"] }),
        client.invalidateQueries({ queryKey: ["prices", "list"] }),
      ]);
      toast.success(t("list.source.saved"));
      onSaved();
    },
    onError: (error) => {
      // What another user has set meanwhile is read before it is saved over.
      if (error instanceof ApiError && error.code === "option_changed")
        void client.invalidateQueries({ queryKey: ["options"] });
    },
  });
}

/** @param source the address as it is stored, "" where none is */
function SourceField({ source }: { source: string }) {
  const { t } = useTranslation("prices");
  const isReadOnly = !isRoot(useRole());
  const [typed, setTyped] = useState<string>();
  const value = typed ?? source;
  const save = useSave(() => setTyped(undefined));
  const isOther = value.trim() !== source;
  const isBad = value.trim() !== "" && !value.trim().startsWith("https://");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isOther && !isBad && !save.isPending) save.mutate(value.trim());
  };
  return (
    <form className={styles.source} onSubmit={submit}>
      <TextInput
        className={styles.address ?? ""}
        label={t("list.source.label")}
        description={isReadOnly ? `${t("list.source.help")} ${t("list.source.readOnly")}` : t("list.source.help")}
        readOnly={isReadOnly}
        inputWrapperOrder={["label", "input", "error", "description"]}
        placeholder={SUGGESTED}
        type="text"
        inputMode="url"
        spellCheck={false}
        autoComplete="off"
        value={value}
        error={isOther && isBad ? t("list.source.https") : save.error?.message}
        onChange={(event) => {
          save.reset();
          setTyped(event.currentTarget.value);
        }}
      />
      <div className={styles.sourceActs}>
        {value === "" && !isReadOnly && <Button onClick={() => setTyped(SUGGESTED)}>{t("list.source.suggest")}</Button>}
        {isOther && (
          <BusyButton type="submit" isBusy={save.isPending} disabled={isBad}>
            {t("list.source.save")}
          </BusyButton>
        )}
      </div>
    </form>
  );
}

function useUndo() {
  const { t } = useTranslation("prices");
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(undoPriceList, { params: { id } }),
    onSuccess: () => toast.success(t("list.accepted.undone")),
    onSettled: () => refreshPrices(client),
  });
}

const NAMED = 4;

function Names({ change }: { change: AcceptedChange }) {
  const { t } = useTranslation("prices");
  const named = change.lines.slice(0, NAMED).map(({ id }) => visible(id));
  const rest = change.count - named.length;
  return (
    <span className={styles.models}>
      {named.join(", ")}
      {rest > 0 && ` ${t("list.accepted.rest", { count: rest, formatted: formatNumber(rest) })}`}
    </span>
  );
}

function Entry({ change }: { change: AcceptedChange }) {
  const { t } = useTranslation("prices");
  const undo = useUndo();
  const isUndone = change.undone_time > 0;
  return (
    <li className={styles.entry} data-is-undone={isUndone || undefined}>
      <div className={styles.what}>
        <span className={styles.name}>
          <b>{t("list.accepted.count", { count: change.count, formatted: formatNumber(change.count) })}</b>
          {isUndone && <Tag>{t("list.accepted.isUndone")}</Tag>}
          {!isUndone && change.is_older && (
            <span title={t("list.accepted.olderHint")}>
              <Tag tone="amber">{t("list.accepted.older")}</Tag>
            </span>
          )}
        </span>
        <Names change={change} />
        <span className={styles.by}>
          {change.created_by === null ? t("list.accepted.gone") : visible(change.created_by)} ·{" "}
          <Time atS={change.created_time} as="full" /> · <span className="mono">{change.source}</span>
        </span>
        {isUndone && (
          <span className={styles.by}>
            {change.undone_by === null
              ? t("list.accepted.isUndone")
              : t("list.accepted.undoneBy", { user: visible(change.undone_by) })}{" "}
            · <Time atS={change.undone_time} as="full" />
          </span>
        )}
      </div>
      {!isUndone && (
        <BusyButton
          isBusy={undo.isPending}
          aria-label={t("list.accepted.undoOf", { id: change.id })}
          onClick={() => undo.mutate(change.id)}
        >
          {t("list.accepted.undo")}
        </BusyButton>
      )}
    </li>
  );
}

/** Accepted lines of fetched lists, by whom and when, and the way back. */
function Accepted({ changes }: { changes: readonly AcceptedChange[] }) {
  const { t } = useTranslation("prices");
  return (
    <section className={styles.part2} aria-label={t("list.accepted.title")}>
      <h3>{t("list.accepted.title")}</h3>
      {changes.length === 0 ? (
        <p className={styles.none}>{t("list.accepted.none")}</p>
      ) : (
        <ul className={styles.entries}>
          {changes.map((change) => (
            <Entry key={change.id} change={change} />
          ))}
        </ul>
      )}
    </section>
  );
}

type PriceList = DataOf<typeof getPriceList>;

/** A day of a list, wherever it is read: noon of it. */
const dayText = (day: string): string => formatDate(Date.parse(`${day}T12:00:00Z`) / 1000);

/** The price editor with its filters for what is counted here. */
const DIFFERING = { origin: "own", differs: "yes" };

function Facts({ list }: { list: PriceList }) {
  const { t } = useTranslation("prices");
  const { shipped, models, differing } = list;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t("list.facts.version")}</dt>
        <dd>
          genai-prices {shipped.version}
          <span className={styles.faint}> · {dayText(shipped.date)}</span>
        </dd>
      </div>
      <div>
        <dt>{t("list.facts.models")}</dt>
        <dd>{formatNumber(models)}</dd>
      </div>
      <div>
        <dt>{t("list.facts.differing")}</dt>
        <dd>
          {formatNumber(differing)}
          {differing > 0 && (
            <>
              {" · "}
              <Link to="/prices" search={DIFFERING}>
                {t("list.facts.open")}
              </Link>
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}

function Newer({ source }: { source: string }) {
  const { t } = useTranslation("prices");
  const fetching = useMutation({
    mutationFn: () => call(fetchPriceList, {}),
    meta: { showsOwnError: true },
  });
  const [readAt, setReadAt] = useState(0);
  const fetchList = () => fetching.mutate(undefined, { onSuccess: () => setReadAt((count) => count + 1) });
  const { data, error } = fetching;
  return (
    <section className={styles.part2} aria-label={t("list.newer.title")}>
      <h3>{t("list.newer.title")}</h3>
      <p className={styles.sentence}>{t("list.newer.text")}</p>
      <SourceField key={source} source={source} />
      <div className={styles.fetch}>
        <BusyButton
          leftSection={<IconRefresh size={15} stroke={1.5} />}
          isBusy={fetching.isPending}
          disabled={source === ""}
          onClick={fetchList}
        >
          {t("list.fetch")}
        </BusyButton>
        <span role="status" className={styles.faint}>
          {fetching.isPending && t("list.fetching")}
          {data !== undefined &&
            t("list.fetched", {
              rules: formatNumber(data.rules),
              formatted: formatNumber(data.lines.length),
              count: data.lines.length,
            })}
        </span>
      </div>
      {error !== null && <ErrorState title={t("list.notFetched")} error={error} onRetry={fetchList} />}
      {data !== undefined && <FetchedLines key={readAt} fetched={data} onDone={() => fetching.reset()} />}
    </section>
  );
}

/** Folded: most who come here want the newer list. */
function Upgrade({ list }: { list: PriceList }) {
  const { t } = useTranslation("prices");
  const { previous, shipped, changes } = list;
  if (previous === null) return null;
  return (
    <details className={styles.upgrade}>
      <summary>
        <h3>{t("list.upgrade.title", { version: shipped.version })}</h3>
        <span className={styles.faint}>
          {t("list.upgrade.count", {
            count: changes.length,
            formatted: formatNumber(changes.length),
            version: previous.version,
          })}
        </span>
        <IconChevronDown size={15} stroke={1.5} aria-hidden />
      </summary>
      {changes.length > 0 && (
        <LineTable lines={changes} label={t("list.upgrade.title", { version: shipped.version })} />
      )}
    </details>
  );
}

export function PriceListPanel() {
  const { t } = useTranslation("prices");
  const { data, error, refetch } = useQuery(priceListQuery);
  if (data === undefined) {
    if (error === null) return <div className={styles.loading} aria-busy />;
    return <ErrorState title={t("list.notLoaded")} error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className={styles.panel}>
      <Facts list={data} />
      <Newer source={data.source} />
      <Accepted changes={data.accepted} />
      <Upgrade list={data} />
    </div>
  );
}
