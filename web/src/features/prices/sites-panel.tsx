/** The section 'prices of other sites' of the settings page: sites are asked, what differs is shown, and chosen prices become own ones. */
import { Checkbox, Textarea, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { compareSites } from "../../../../contract/src/features/prices.ts";
import type { PriceDraft } from "../../../../contract/src/pricing/dry-run.ts";
import { decimalTextOf } from "../../../../contract/src/pricing/price-display.ts";
import type { SiteLine, SitesComparison } from "../../../../contract/src/pricing/site-prices.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { priceWords } from "./editor/list-price.tsx";
import { priceOf } from "./model/rows.ts";
import { changesOf, choose, type Chosen, sitesOf } from "./model/site-lines.ts";
import { conflictOf, useChangePrices } from "./queries.ts";
import styles from "./sites.module.css";
import { TryDraft } from "./try-draft.tsx";

/** Models drawn at once; the search narrows them. */
const SHOWN = 100;

/** The answer of each site, or why it was not read. */
function Answers({ sites }: { sites: SitesComparison["sites"] }) {
  const { t } = useTranslation("prices");
  return (
    <ul className={styles.sites} aria-label={t("sites.answers")}>
      {sites.map(({ name, address, failure, models, refused }) => (
        <li key={name}>
          <b>
            <Name text={name} />
          </b>{" "}
          <span className={styles.faint}>{address}</span>{" "}
          {failure === "" ? (
            <Tag tone="green">{t("sites.models", { count: models, formatted: formatNumber(models) })}</Tag>
          ) : (
            <Tag tone="red">{t(`sites.failure.${failure}`)}</Tag>
          )}{" "}
          {refused > 0 && (
            <Tag tone="amber">{t("sites.refused", { count: refused, formatted: formatNumber(refused) })}</Tag>
          )}
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  line: SiteLine;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
}

/** One model: what it costs here, and each other price with the sites that say it. */
function Line({ line, chosen, onChoose }: LineProps) {
  const { t } = useTranslation("prices");
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const words = (price: Parameters<typeof priceWords>[1]) => priceWords(t, price, quotaPerUnit);
  return (
    <li className={styles.line}>
      <div className={styles.what}>
        <span className="mono tp-name">{visible(line.model)}</span>
        {line.is_enabled && <Tag tone="accent">{t("list.enabled")}</Tag>}
      </div>
      <div>
        {t("sites.here", { price: words(priceOf(line.price)) })}
        {line.same.length > 0 && (
          <span className={styles.faint}> {t("sites.same", { sites: line.same.map(visible).join(", ") })}</span>
        )}
      </div>
      {line.offers.map((offer, index) => (
        <Checkbox
          key={offer.sites.join(" ")}
          size="xs"
          checked={chosen.get(line.model) === index}
          onChange={(event) => onChoose(choose(chosen, line.model, event.currentTarget.checked ? index : undefined))}
          aria-label={t("sites.choose", { model: line.model, sites: offer.sites.join(", ") })}
          label={
            <>
              {words(priceOf(offer.after))} <span className={styles.faint}>{offer.sites.map(visible).join(", ")}</span>
            </>
          }
        />
      ))}
    </li>
  );
}

/** Takes chosen prices after a question; a price that another user changed meanwhile is named and nothing is stored. */
function useTake(lines: readonly SiteLine[], chosen: Chosen, onDone: () => void) {
  const { t } = useTranslation("prices");
  const change = useChangePrices();
  const changes = useMemo(() => changesOf(lines, chosen), [lines, chosen]);
  const take = async () => {
    const count = changes.length;
    const question = {
      title: t("sites.confirm.title", { count, formatted: formatNumber(count) }),
      text: t("sites.confirm.text", {
        models: changes
          .slice(0, 5)
          .map(({ model }) => visible(model))
          .join(", "),
      }),
      action: t("sites.confirm.action"),
      tone: "plain",
    } as const;
    if (!(await confirm(question))) return;
    try {
      const { changed } = await change.mutateAsync(changes);
      toast.success(t("editor.bulk.saved", { count: changed, formatted: formatNumber(changed) }));
      onDone();
    } catch (error) {
      const model = conflictOf(error);
      toast.error(error, model === undefined ? t("editor.bulk.notSaved") : t("sites.conflict", { model }));
    }
  };
  return { changes, take, isBusy: change.isPending };
}

function Differences({ compared, onDone }: { compared: SitesComparison; onDone: () => void }) {
  const { t } = useTranslation("prices");
  const { lines, line_count: total } = compared;
  const [keyword, setKeyword] = useState("");
  const [isEveryModel, setIsEveryModel] = useState(!lines.some((line) => line.is_enabled));
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const { changes, take, isBusy } = useTake(lines, chosen, onDone);
  const draft = useMemo((): PriceDraft => ({ changes: changes.map(({ model, to }) => ({ model, to })) }), [changes]);
  if (total === 0) return <Notice tone="blue">{t("sites.noDifference")}</Notice>;
  const found = lines.filter(
    (line) => (isEveryModel || line.is_enabled) && line.model.toLowerCase().includes(keyword.trim().toLowerCase()),
  );
  return (
    <>
      <div className={styles.tools}>
        <TextInput
          size="xs"
          type="search"
          aria-label={t("list.search")}
          placeholder={t("list.search")}
          leftSection={<IconSearch size={15} stroke={1.5} />}
          value={keyword}
          onChange={(event) => setKeyword(event.currentTarget.value)}
        />
        <Checkbox
          size="xs"
          label={t("sites.everyModel")}
          checked={isEveryModel}
          onChange={(event) => setIsEveryModel(event.currentTarget.checked)}
        />
        <BusyButton variant="filled" isBusy={isBusy} disabled={changes.length === 0} onClick={() => void take()}>
          {t("sites.take", { count: changes.length, formatted: formatNumber(changes.length) })}
        </BusyButton>
      </div>
      {changes.length > 0 && <TryDraft draft={draft} />}
      <ul className={styles.lines} aria-label={t("sites.lines")}>
        {found.slice(0, SHOWN).map((line) => (
          <Line key={line.model} line={line} chosen={chosen} onChoose={setChosen} />
        ))}
      </ul>
      <p className={styles.faint} role="status">
        {t("sites.count", { shown: formatNumber(Math.min(found.length, SHOWN)), total: formatNumber(total) })}
      </p>
    </>
  );
}

export function SitesPanel() {
  const { t } = useTranslation("prices");
  const [addresses, setAddresses] = useState("");
  const comparing = useMutation({
    mutationFn: (text: string) => call(compareSites, { body: { sites: sitesOf(text), channel_ids: [], timeout: 15 } }),
    meta: { showsOwnError: true },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!comparing.isPending && sitesOf(addresses).length > 0) comparing.mutate(addresses);
  };
  const { data, error } = comparing;
  // What was pressed goes with the list that is compared anew.
  const place = useRef<HTMLDivElement>(null);
  const again = () => {
    place.current?.focus();
    comparing.mutate(addresses);
  };
  return (
    <div className={styles.panel} ref={place} tabIndex={-1}>
      <form onSubmit={submit} noValidate className={styles.form}>
        <Textarea
          label={t("sites.addresses")}
          description={t("sites.addressesHelp")}
          inputWrapperOrder={["label", "input", "error", "description"]}
          placeholder="https://api.example.com"
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          value={addresses}
          error={error?.message}
          onChange={(event) => {
            if (error !== null) comparing.reset();
            setAddresses(event.currentTarget.value);
          }}
        />
        <BusyButton type="submit" isBusy={comparing.isPending} disabled={sitesOf(addresses).length === 0}>
          {t("sites.compare")}
        </BusyButton>
      </form>
      {data !== undefined && (
        <>
          <Answers sites={data.sites} />
          <Differences key={comparing.submittedAt} compared={data} onDone={again} />
        </>
      )}
    </div>
  );
}
