/** The section 'dry run' of the settings page: what past calls would have cost under other prices, before anything is saved. */
import { Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { listOptions } from "../../../../../contract/src/features/options.ts";
import { listPrices } from "../../../../../contract/src/features/prices.ts";
import { call } from "../../../lib/api.ts";
import { useStore } from "../../../lib/store.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import styles from "./dry-run.module.css";
import { createDryRun } from "./dry-run-store.ts";
import { DaysChoice, Outcome } from "./run-parts.tsx";
import type { PriceChangeDraft } from "../../../../../contract/src/pricing/price-changes.ts";
import { ApplyPrices } from "../changes/apply.tsx";
import {
  appliedOf,
  draftOf,
  groupRatiosOf,
  type Prices,
  problemOf,
  type Rule,
  matching,
  RULE_KINDS,
  type RuleKind,
} from "./what-if.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { IconButton } from "../../../ui/plain.tsx";

const VALUES: Readonly<Record<RuleKind, string>> = { factor: "1.1", fixed: "0.01", group: "1" };

const nextId = (rules: readonly Rule[]): number => Math.max(0, ...rules.map(({ id }) => id)) + 1;

/** A new rule, which changes nothing yet. */
const newRule = (rules: readonly Rule[]): Rule => ({
  id: nextId(rules),
  kind: "factor",
  target: "",
  value: VALUES.factor,
});

interface RowProps {
  rule: Rule;
  prices: Prices;
  /** Problems are shown after the first attempt to run. */
  showsProblems: boolean;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

function Target({ rule, prices, onChange, error }: Omit<RowProps, "onRemove" | "showsProblems"> & { error: string }) {
  const { t } = useTranslation("prices");
  const label = t(`dryRun.target.${rule.kind === "group" ? "group" : "models"}`);
  if (rule.kind === "group")
    return (
      <div className={styles.target}>
        <ChoiceSelect
          label={label}
          choices={Object.entries(prices.groupRatios).map(([value, ratio]) => ({
            value,
            text: value,
            side: `${ratio}×`,
          }))}
          value={rule.target}
          onChange={(target) => onChange({ ...rule, target })}
        />
        {error !== "" && (
          <p className={styles.problem} role="alert">
            {error}
          </p>
        )}
      </div>
    );
  return (
    <TextInput
      className={styles.target ?? ""}
      aria-label={label}
      placeholder="gpt-4o*"
      value={rule.target}
      error={error || undefined}
      description={error === "" ? t("dryRun.matches", { count: matching(prices.rows, rule.target).length }) : undefined}
      inputWrapperOrder={["label", "input", "description", "error"]}
      spellCheck={false}
      onChange={(event) => onChange({ ...rule, target: event.currentTarget.value })}
    />
  );
}

function RuleRow({ rule, prices, showsProblems, onChange, onRemove }: RowProps) {
  const { t } = useTranslation("prices");
  const problem = showsProblems ? problemOf(rule, prices) : undefined;
  const sentence = problem === undefined ? "" : t(`dryRun.problem.${problem}`);
  const setKind = (kind: RuleKind) => {
    const group = Object.keys(prices.groupRatios)[0] ?? "";
    const target = kind === "group" ? group : rule.kind === "group" ? "" : rule.target;
    const value = kind === "group" ? (prices.groupRatios[group] ?? VALUES.group) : VALUES[kind];
    onChange({ ...rule, kind, target, value });
  };
  return (
    <li className={styles.rule}>
      <ChoiceSelect
        label={t("dryRun.kindLabel")}
        choices={RULE_KINDS.map((kind) => ({ value: kind, text: t(`dryRun.kind.${kind}`) }))}
        value={rule.kind}
        onChange={(kind) => setKind(kind as RuleKind)}
      />
      <Target rule={rule} prices={prices} onChange={onChange} error={problem === "value_invalid" ? "" : sentence} />
      <TextInput
        className={styles.value ?? ""}
        aria-label={t(`dryRun.value.${rule.kind}`)}
        inputMode="decimal"
        leftSection={rule.kind === "fixed" ? "$" : "×"}
        value={rule.value}
        error={problem === "value_invalid" ? sentence : undefined}
        description={t(`dryRun.unit.${rule.kind}`)}
        inputWrapperOrder={["label", "input", "description", "error"]}
        onChange={(event) => onChange({ ...rule, value: event.currentTarget.value })}
      />
      <IconButton label={t("dryRun.removeRule")} className={styles.remove} onClick={onRemove}>
        <IconTrash size={15} stroke={1.5} />
      </IconButton>
    </li>
  );
}

/** The rules of 'what if': which prices change, and to what. */
function Rules({
  rules,
  prices,
  showsProblems,
  onChange,
}: {
  rules: readonly Rule[];
  prices: Prices;
  showsProblems: boolean;
  onChange: (rules: readonly Rule[]) => void;
}) {
  const { t } = useTranslation("prices");
  return (
    <section aria-label={t("dryRun.whatIf")}>
      <h3 className={styles.heading}>{t("dryRun.whatIf")}</h3>
      {rules.length === 0 && <p className={styles.noRules}>{t("dryRun.noRules")}</p>}
      <ul className={styles.rules}>
        {rules.map((rule) => (
          <RuleRow
            key={rule.id}
            rule={rule}
            prices={prices}
            showsProblems={showsProblems}
            onChange={(changed) => onChange(rules.map((each) => (each.id === changed.id ? changed : each)))}
            onRemove={() => onChange(rules.filter(({ id }) => id !== rule.id))}
          />
        ))}
      </ul>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconPlus size={14} stroke={1.5} />}
        onClick={() => onChange([...rules, newRule(rules)])}
      >
        {t("dryRun.addRule")}
      </Button>
    </section>
  );
}

/** The choices stay while the page is left, as does the run. */
const dryRun = createDryRun();
const DEFAULT_DAYS = 7;
const kept: { days: number; rules: readonly Rule[]; tried: PriceChangeDraft | undefined } = {
  days: DEFAULT_DAYS,
  rules: [],
  tried: undefined,
};

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
  const state = useStore(dryRun.state);
  const isRunning = state.stage === "running";
  const [applied, setApplied] = useState(kept.tried);
  const runButton = useRef<HTMLButtonElement>(null);
  const choose = (chosen: number) => setDays((kept.days = chosen));
  const change = (next: readonly Rule[]) => setRules((kept.rules = next));
  const run = () => {
    const isGood = rules.every((rule) => problemOf(rule, prices) === undefined);
    setShowsProblems(!isGood);
    if (!isGood) return;
    setApplied((kept.tried = rules.length === 0 ? undefined : appliedOf(rules, prices)));
    dryRun.start(draftOf(rules, prices), days);
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
      {state.stage === "done" && applied !== undefined && (
        <ApplyPrices
          key={JSON.stringify(applied)}
          draft={applied}
          result={state.result}
          // The rules are about prices that are over: what is tried next begins with the new ones.
          onApplied={() => {
            change([]);
            kept.tried = undefined;
          }}
        />
      )}
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
