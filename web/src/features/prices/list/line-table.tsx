/** Lines of a price list, each with what it changes; with ticks where they can be accepted. */
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { sentences } from "../../../lib/translate.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { useStatus } from "../../../lib/status.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { Tag, type TagTone } from "../../../ui/display/tags.tsx";
import { PlainButton } from "../../../ui/plain.tsx";
import { keyOf, type Line, type PartChange, partChanges, percentOf } from "./lines.ts";
import styles from "./list.module.css";

export interface Choice {
  chosen: ReadonlySet<string>;
  onChoose: (key: string, isChosen: boolean) => void;
}

const TONES: Record<Line["change"], TagTone> = { added: "green", changed: "blue", removed: "red" };

function Price({ change }: { change: PartChange }) {
  const { t } = useTranslation("prices");
  const { part, above, before, after } = change;
  const percent = percentOf(change);
  return (
    <li>
      <span className={styles.part}>
        {t(`list.parts.${part}`)}
        {above !== undefined && ` ${t("list.above", { tokens: formatNumber(above) })}`}
      </span>
      <span className={styles.usd}>
        {before !== undefined && <s className={styles.before}>${before}</s>}
        {before !== undefined && after !== undefined && (
          <span aria-hidden className={styles.arrow}>
            →
          </span>
        )}
        {after !== undefined && <b>${after}</b>}
        {percent !== undefined && <span className={styles.percent}>{percent}</span>}
      </span>
    </li>
  );
}

/** Changes besides dollars, or instead of them. */
function Besides({ line }: { line: Line }) {
  const { t } = useTranslation("prices");
  const others = line.alters.filter((what) => what !== "price");
  if (line.change !== "changed" || others.length === 0) return null;
  return <p className={styles.besides}>{sentences(...others.map((what) => t(`list.alters.${what}`)))}</p>;
}

function Where({ line }: { line: Line }) {
  const { t } = useTranslation("prices");
  const { models = [], own = [] } = line;
  if (models.length === 0) return null;
  return (
    <span className={styles.where}>
      <Tag tone="accent">{t("list.enabled")}</Tag>
      {own.length > 0 && (
        <span title={t("list.ownHint", { models: own.map(visible).join(", ") })}>
          <Tag tone="amber">{t("list.own")}</Tag>
        </span>
      )}
      {models.some((model) => model !== line.id) && (
        <span className={styles.models}>{models.map(visible).join(", ")}</span>
      )}
    </span>
  );
}

function Row({ line, choice, quotaPerUnit }: { line: Line; choice: Choice | undefined; quotaPerUnit: string }) {
  const { t } = useTranslation("prices");
  const key = keyOf(line);
  const changes = partChanges(line, quotaPerUnit);
  return (
    <li className={styles.line} data-is-choice={choice !== undefined || undefined}>
      {choice && (
        <Checkbox
          size="xs"
          aria-label={t("list.choose", { model: key })}
          checked={choice.chosen.has(key)}
          onChange={(event) => choice.onChoose(key, event.currentTarget.checked)}
        />
      )}
      <div className={styles.what}>
        <span className={styles.name}>
          <ModelMark model={line.id} size={20} />
          <span className="mono tp-name">{visible(line.id)}</span>
          <span className={styles.provider}>{visible(line.provider)}</span>
        </span>
        <Where line={line} />
      </div>
      <span className={styles.change}>
        <Tag tone={TONES[line.change]}>{t(`list.change.${line.change}`)}</Tag>
      </span>
      <div>
        {changes.length > 0 && (
          <ul className={styles.prices}>
            {changes.map((change) => (
              <Price key={`${change.part} ${change.above ?? ""}`} change={change} />
            ))}
          </ul>
        )}
        <Besides line={line} />
      </div>
    </li>
  );
}

const STEP = 50;

/** @param label names the list for those who cannot see it */
export function LineTable({ lines, label, choice }: { lines: readonly Line[]; label: string; choice?: Choice }) {
  const { t } = useTranslation("prices");
  const [shown, setShown] = useState(STEP);
  const quotaPerUnit = String(useStatus().quota_per_unit);
  const left = lines.length - shown;
  return (
    <>
      <ul className={styles.lines} aria-label={label}>
        {lines.slice(0, shown).map((line) => (
          <Row key={keyOf(line)} line={line} choice={choice} quotaPerUnit={quotaPerUnit} />
        ))}
      </ul>
      {left > 0 && (
        <div className={styles.more}>
          <PlainButton onClick={() => setShown(shown + STEP * 2)}>
            {t("list.more", { count: left, formatted: formatNumber(left) })}
          </PlainButton>
        </div>
      )}
    </>
  );
}
