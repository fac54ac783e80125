/** For administrators: usage by user (with search by name) and by channel. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { PayerUsage } from "../../../../contract/src/features/dashboard.ts";
import { formatShort } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Bar } from "../../ui/charts/bars.tsx";
import { SearchFilter } from "../../ui/data-table/filters.tsx";
import page from "./dashboard.module.css";
import { amountsOf, tokensOf } from "./model/figures.ts";
import styles from "./payers-card.module.css";
import { LogLink, useLogUser } from "./log-link.tsx";
import { logHref } from "./model/log-link.ts";
import type { View } from "./model/view.ts";
import { type Overview, usersQuery } from "./queries.ts";

const TABS = ["user", "channel"] as const;
type Tab = (typeof TABS)[number];

function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  const { t } = useTranslation("dashboard");
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = tab === "user" ? "channel" : "user";
    onTab(next);
    event.currentTarget.querySelector<HTMLElement>(`#dashboard-by-${next}`)?.focus();
  };
  return (
    <div className={styles.tabs} role="tablist" aria-label={t("payers.label")} onKeyDown={onKeyDown}>
      {TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`dashboard-by-${each}`}
          aria-controls="dashboard-payers"
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          className={styles.tab}
          onClick={() => onTab(each)}
        >
          {t(`payers.by.${each}`)}
        </button>
      ))}
    </div>
  );
}

interface RowsProps {
  payers: readonly PayerUsage[];
  nameOf: (payer: PayerUsage) => ReactNode;
  hrefOf: (payer: PayerUsage) => string | undefined;
}

function Rows({ payers, nameOf, hrefOf }: RowsProps) {
  const most = Math.max(1, ...payers.map(({ quota }) => quota));
  const amounts = amountsOf(payers.map(({ quota }) => quota));
  return (
    <ol className={styles.payers}>
      {payers.map((payer, index) => (
        <li key={payer.id}>
          {nameOf(payer)}
          <Bar share={payer.quota / most} />
          <span className={styles.payerTokens}>{formatShort(tokensOf(payer))}</span>
          <span className={page.number}>
            <LogLink href={hrefOf(payer)}>{amounts[index]}</LogLink>
          </span>
        </li>
      ))}
    </ol>
  );
}

interface PayersCardProps {
  overview: Overview;
  view: View;
  onUser: (username: string) => void;
}

function useNames(
  tab: Tab,
  hrefOf: RowsProps["hrefOf"],
  onUser: (username: string) => void,
): (payer: PayerUsage) => ReactNode {
  const { t } = useTranslation("dashboard");
  return (payer) => {
    if (payer.payer_count > 1 || payer.id === 0)
      return (
        <span className={styles.rest}>
          {payer.id === 0 && payer.payer_count === 1 && tab === "channel"
            ? t("payers.noChannel")
            : t("payers.others", { count: payer.payer_count })}
        </span>
      );
    if (tab === "channel")
      return (
        <span className={styles.payerName}>
          <LogLink href={hrefOf(payer)}>{visible(payer.name) || t("payers.goneChannel", { id: payer.id })}</LogLink>
        </span>
      );
    if (payer.name === "") return <span className={styles.rest}>{t("payers.goneUser", { id: payer.id })}</span>;
    return (
      <button
        type="button"
        className={styles.payerButton}
        dir="auto"
        title={t("payers.showUser", { name: payer.name })}
        onClick={() => onUser(payer.name)}
      >
        {visible(payer.name)}
      </button>
    );
  };
}

export function PayersCard({ overview, view, onUser }: PayersCardProps) {
  const { t } = useTranslation("dashboard");
  const [tab, setTab] = useState<Tab>("user");
  const [isSearching, setIsSearching] = useState(false);
  const [keyword, setKeyword] = useState("");
  const isFound = tab === "user" && keyword !== "";
  const found = useQuery(usersQuery(overview, isFound ? keyword : ""));
  const listed = tab === "user" ? overview.users : overview.channels;
  const payers = (isFound ? found.data : listed) ?? [];
  const logUser = useLogUser(view);
  const hrefOf = ({ id, name }: PayerUsage) =>
    logHref({
      start: overview.start,
      end: overview.end,
      type: "charged",
      ...(tab === "user" ? { username: name } : { channel: id, username: logUser }),
    });
  const nameOf = useNames(tab, hrefOf, onUser);
  const toggleSearch = () => {
    setKeyword("");
    setIsSearching(!isSearching);
  };
  return (
    <section className={page.card} aria-label={t("payers.label")}>
      <header className={page.cardHead}>
        <h2 className={styles.hidden}>{t("payers.label")}</h2>
        <Tabs tab={tab} onTab={setTab} />
        {tab === "user" && (
          <Tooltip label={t("payers.search")}>
            <ActionIcon
              variant="subtle"
              size={24}
              aria-label={t("payers.search")}
              aria-expanded={isSearching}
              onClick={toggleSearch}
            >
              <IconSearch size={15} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        )}
        <span className={styles.payerHeads} aria-hidden>
          <span>{t("measure.tokens")}</span>
          <span>{t("measure.spend")}</span>
        </span>
      </header>
      <div role="tabpanel" id="dashboard-payers" aria-labelledby={`dashboard-by-${tab}`}>
        {isSearching && tab === "user" && (
          <div className={styles.payerSearch}>
            <SearchFilter label={t("payers.search")} value={keyword} onChange={setKeyword} isOpened />
          </div>
        )}
        {payers.length === 0 && !(isFound && found.isPending) ? (
          <p className={styles.none}>{t(isFound ? "payers.noneFound" : "chart.nothing")}</p>
        ) : (
          <Rows payers={payers} nameOf={nameOf} hrefOf={hrefOf} />
        )}
      </div>
    </section>
  );
}
