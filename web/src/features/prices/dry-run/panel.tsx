/** The section 'dry run' of the settings page: what if these prices had held, before anything is saved. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { listOptions } from "../../../../../contract/src/features/options.ts";
import { listPrices } from "../../../../../contract/src/features/prices.ts";
import { call } from "../../../lib/api.ts";
import { useStore } from "../../../lib/store.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import styles from "./dry-run.module.css";
import { createDryRun } from "./dry-run-store.ts";
import { Rules } from "./rules.tsx";
import { DaysChoice, Outcome } from "./run-parts.tsx";
import { draftOf, groupRatiosOf, type Prices, problemOf, type Rule } from "./what-if.ts";

/** What was chosen stays while the page is left, as does the run. */
const dryRun = createDryRun();
const DEFAULT_DAYS = 7;
const kept: { days: number; rules: readonly Rule[] } = { days: DEFAULT_DAYS, rules: [] };

async function readPrices(signal: AbortSignal): Promise<Prices> {
  const [rows, options] = await Promise.all([call(listPrices, { query: {}, signal }), call(listOptions, { signal })]);
  const text = options.find(({ key }) => key === "GroupRatio")?.value ?? "{}";
  return { rows, groupRatios: groupRatiosOf(text) };
}

function Form({ prices }: { prices: Prices }) {
  const { t } = useTranslation("prices");
  const [days, setDays] = useState(kept.days);
  const [rules, setRules] = useState(kept.rules);
  const [showsProblems, setShowsProblems] = useState(false);
  const isRunning = useStore(dryRun.state).stage === "running";
  const runButton = useRef<HTMLButtonElement>(null);
  const choose = (chosen: number) => setDays((kept.days = chosen));
  const change = (next: readonly Rule[]) => setRules((kept.rules = next));
  const run = () => {
    const isGood = rules.every((rule) => problemOf(rule, prices) === undefined);
    setShowsProblems(!isGood);
    if (isGood) dryRun.start(draftOf(rules, prices), days);
  };
  return (
    <div className={styles.panel}>
      <Rules rules={rules} prices={prices} showsProblems={showsProblems} onChange={change} />
      <div className={styles.start}>
        <DaysChoice days={days} onChange={choose} />
        <BusyButton ref={runButton} variant="filled" isBusy={isRunning} onClick={run}>
          {t("dryRun.run")}
        </BusyButton>
      </div>
      <Outcome dryRun={dryRun} retry={run} onCancelled={() => runButton.current?.focus()} />
    </div>
  );
}

export function DryRunPanel() {
  const { t } = useTranslation("prices");
  const { data, error, refetch } = useQuery({
    queryKey: ["prices", "dry-run"],
    queryFn: ({ signal }) => readPrices(signal),
    // The rules are about prices: as they are now, whenever the section is opened.
    staleTime: 0,
  });
  if (data !== undefined) return <Form prices={data} />;
  if (error !== null) return <ErrorState title={t("dryRun.notLoaded")} error={error} onRetry={() => void refetch()} />;
  return <div className={styles.loading} aria-busy />;
}
