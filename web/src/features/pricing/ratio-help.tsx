/** The help of the ratio column: a drawing of how a model's ratio, the completion ratio and the group's ratio become dollars. */
import { Popover } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { toDecimalText, divide, fractionOf } from "../../../../contract/src/money.ts";
import { formatRatio } from "../../lib/format.ts";
import { usdOfPart, padDecimals, type PriceView } from "./model/price-list.ts";
import styles from "./ratio-help.module.css";

/** Ratios of the drawing: small round numbers that can be followed by eye. */
const EXAMPLE = {
  model_name: "",
  quota_type: 0,
  model_ratio: 0.5,
  model_price: 0,
  completion_ratio: 4,
  cache_ratio: 0.1,
  cache_creation_ratio: 1.25,
  create_cache_ratio: 1.25,
  owner_by: "",
  supported_endpoint_types: [],
  enable_groups: [],
  has_price: true,
  kind: "chat" as const,
};

const Box = ({ value, label, tone }: { value: ReactNode; label: string; tone?: "result" | "base" }) => (
  <span className={styles.box} data-tone={tone}>
    <b>{value}</b>
    <span>{label}</span>
  </span>
);

const Sign = ({ children }: { children: string }) => (
  <span className={styles.sign} aria-hidden>
    {children}
  </span>
);

function Drawing({ view }: { view: PriceView }) {
  const { t } = useTranslation("pricing");
  const base = `$${padDecimals(toDecimalText(divide(fractionOf(1_000_000), fractionOf(view.quotaPerUnit)), 4), 2)}`;
  const input = `$${padDecimals(usdOfPart(EXAMPLE, "input", view, 4) ?? "0", 2)}`;
  const output = `$${padDecimals(usdOfPart(EXAMPLE, "output", view, 4) ?? "0", 2)}`;
  return (
    <>
      <div className={styles.chain}>
        <Box value={base} label={t("help.base")} tone="base" />
        <Sign>×</Sign>
        <Box value={formatRatio(EXAMPLE.model_ratio)} label={t("help.model")} />
        <Sign>×</Sign>
        <Box value={formatRatio(view.groupRatio)} label={t("help.group", { group: view.group })} />
        <Sign>=</Sign>
        <Box value={input} label={t("help.input")} tone="result" />
      </div>
      <div className={styles.chain}>
        <Box value={input} label={t("help.input")} tone="result" />
        <Sign>×</Sign>
        <Box value={formatRatio(EXAMPLE.completion_ratio)} label={t("help.completion")} />
        <Sign>=</Sign>
        <Box value={output} label={t("help.output")} tone="result" />
      </div>
    </>
  );
}

/** The explanation itself. */
export function RatioNotes({ view }: { view: PriceView }) {
  const { t } = useTranslation("pricing");
  return (
    <>
      <h2>{t("help.title")}</h2>
      <p>{t("help.text")}</p>
      <Drawing view={view} />
      <p className={styles.legend}>{t("help.colours")}</p>
    </>
  );
}

/** Behind the question mark of the table's column. */
export function RatioHelp({ view }: { view: PriceView }) {
  const { t } = useTranslation("pricing");
  return (
    <Popover position="bottom" withArrow={false} trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className={styles.help} aria-label={t("help.open")}>
          <IconHelpCircle size={14} stroke={1.5} />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.helpBody} role="note" tabIndex={-1} data-autofocus>
          <RatioNotes view={view} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
