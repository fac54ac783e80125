/** A model's prices in full, for its drawer and its page: every kind of token in the viewed group, longer contexts, every group; and what is known of it. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import type { Modality } from "../../../../contract/src/pricing/listed-facts.ts";
import { LONG_CACHE_RATIO, type Part } from "../../../../contract/src/pricing/pricing.ts";
import { formatNumber, formatRatio } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useViewer } from "../../lib/viewer.ts";
import { RatioTag } from "../../ui/display/tags.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { OTHER_VENDOR, vendorOf } from "./model/families.ts";
import {
  capitalised,
  padDecimals,
  type PriceRow,
  type PriceView,
  shownPrice,
  tiersOfEntry,
  usdOfPart,
} from "./model/price-list.ts";
import styles from "./price-tables.module.css";
import type { GroupChoice } from "./view.ts";

/** Ratios that divide two prices never end: four digits say enough. */
const ratioText = (ratio: number): string => formatRatio(Number(ratio.toPrecision(4))).replace("×", "");

interface PricedPart {
  part: Part;
  ratio: number;
}

/** Kinds of tokens with the ratios they have beside the model's, in the order of a receipt. */
const partsOf = ({ entry }: PriceRow): PricedPart[] => [
  { part: "input", ratio: 1 },
  { part: "cacheRead", ratio: entry.cache_ratio },
  { part: "cacheWrite", ratio: entry.cache_creation_ratio },
  ...(entry.cache_creation_ratio === 1
    ? []
    : [{ part: "cacheWriteLong" as const, ratio: entry.cache_creation_ratio * Number(LONG_CACHE_RATIO) }]),
  { part: "imageInput", ratio: entry.image_ratio ?? 1 },
  { part: "audioInput", ratio: entry.audio_ratio ?? 1 },
  { part: "output", ratio: entry.completion_ratio },
  { part: "audioOutput", ratio: (entry.audio_ratio ?? 1) * (entry.audio_completion_ratio ?? 1) },
  ...(entry.image_output_ratio === undefined
    ? []
    : [{ part: "imageOutput" as const, ratio: entry.image_output_ratio }]),
];

/** Kinds that a call may have or not: they have a line of their own only where they have a price of their own. */
const LIKE: Partial<Record<Part, "input" | "output">> = {
  cacheRead: "input",
  cacheWrite: "input",
  imageInput: "input",
  audioInput: "input",
  audioOutput: "output",
};

const isLikeText = (row: PriceRow, { part, ratio }: PricedPart): boolean => {
  const like = LIKE[part];
  return like !== undefined && ratio === (like === "input" ? 1 : row.entry.completion_ratio);
};

/** "Charged like input: images, audio." */
export function LikeText({ row }: { row: PriceRow }) {
  const { t } = useTranslation("pricing");
  const folded = partsOf(row).filter((each) => isLikeText(row, each));
  return (["input", "output"] as const).map((like) => {
    const names = folded.filter(({ part }) => LIKE[part] === like).map(({ part }) => t(`kinds.${part}`));
    if (names.length === 0) return null;
    return (
      <p key={like} className={styles.like}>
        {t(`drawer.like.${like}`, { kinds: names.join(t("comma")) })}
      </p>
    );
  });
}

export function PartTable({ row, view }: { row: PriceRow; view: PriceView }) {
  const { t } = useTranslation("pricing");
  const shown = partsOf(row).filter((each) => !isLikeText(row, each));
  return (
    <table className={styles.info}>
      <caption>{t("drawer.parts", { group: view.group })}</caption>
      <thead>
        <tr>
          <th scope="col">{t("drawer.part")}</th>
          <th scope="col">{t("drawer.ratios")}</th>
          <th scope="col">{t("drawer.perMillion")}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ part, ratio }) => (
          <tr key={part}>
            <th scope="row">{t(`parts.${part}`)}</th>
            <td>
              {[row.entry.model_ratio, ...(part === "input" ? [] : [ratio]), view.groupRatio]
                .map(ratioText)
                .join(" × ")}
            </td>
            <td>${padDecimals(usdOfPart(row.entry, part, view) ?? "0", 2)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What one call costs in the viewed group; nothing for a model that is priced by tokens. */
export function CallLine({ row: { price } }: { row: PriceRow }) {
  const { t } = useTranslation("pricing");
  if (price.kind !== "call") return null;
  return (
    <p className={styles.call}>
      <b>${price.call}</b> {t("perCall")}
    </p>
  );
}

const TIER_PARTS = ["input", "cacheRead", "output"] as const satisfies readonly Part[];

/** What longer contexts cost, for the whole call. */
export function TierTable({ row, view }: { row: PriceRow; view: PriceView }) {
  const { t } = useTranslation("pricing");
  const tiers = tiersOfEntry(row.entry);
  if (tiers.length === 0) return null;
  return (
    <table className={styles.info}>
      <caption>{t("drawer.tiers")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("drawer.above")}</th>
          <th scope="col">{t("columns.input")}</th>
          <th scope="col">{t("columns.cached")}</th>
          <th scope="col">{t("columns.output")}</th>
        </tr>
      </thead>
      <tbody>
        {tiers.map(({ above, entry }) => (
          <tr key={above}>
            <th scope="row">{formatNumber(above)}</th>
            {TIER_PARTS.map((part) => (
              <td key={part}>${padDecimals(usdOfPart(entry, part, view) ?? "0", 2)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function groupPrice(row: PriceRow, group: GroupChoice, view: PriceView): string[] {
  const price = shownPrice(row.entry, { ...view, group: group.name, groupRatio: group.ratio });
  if (price.kind === "none") return ["–", "–"];
  return price.kind === "call" ? [`$${price.call}`] : [`$${price.input}`, `$${price.output}`];
}

export function GroupTable({ row, view, groups }: { row: PriceRow; view: PriceView; groups: readonly GroupChoice[] }) {
  const { t } = useTranslation("pricing");
  const isPerCall = row.entry.quota_type === 1;
  const heads = isPerCall ? [t("drawer.oneCall")] : [t("columns.input"), t("columns.output")];
  return (
    <table className={styles.info}>
      <caption>{t("drawer.groups")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("drawer.group")}</th>
          <th scope="col">{t("drawer.ratio")}</th>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups
          .filter((group) => row.entry.enable_groups.includes(group.name))
          .map((group) => (
            <tr key={group.name}>
              <th scope="row">{visible(group.name)}</th>
              <td>
                <RatioTag ratio={group.ratio} />
              </td>
              {groupPrice(row, group, view).map((price, index) => (
                <td key={heads[index] ?? index}>{price}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** What is known of the model besides its price. */
export function Facts({ row }: { row: PriceRow }) {
  const { t } = useTranslation("pricing");
  const { kind, context_length: context, input_modalities: inputs, output_modalities: outputs } = row.entry;
  const { expiration_date: day } = row.entry;
  const vendor = vendorOf(row.entry);
  const words = (modalities: readonly Modality[]) =>
    capitalised(modalities.map((each) => t(`modality.${each}`)).join(t("comma")));
  const facts = [
    vendor !== OTHER_VENDOR && { name: t("facts.vendor"), value: vendor },
    { name: t("facts.kind"), value: t(`modelKind.${kind}`) },
    context !== undefined && { name: t("facts.context"), value: t("facts.tokens", { tokens: formatNumber(context) }) },
    inputs !== undefined && inputs.length > 0 && { name: t("facts.inputs"), value: words(inputs) },
    day !== undefined && { name: t("facts.retires"), value: day },
    outputs !== undefined && outputs.length > 0 && { name: t("facts.outputs"), value: words(outputs) },
  ].filter((fact) => fact !== false);
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Whether the viewed group can use it, and if not, who can. */
export function useAvailability({ row, view }: { row: PriceRow; view: PriceView }): string {
  const { t } = useTranslation("pricing");
  const { enable_groups: usable, other_groups: others = [] } = row.entry;
  if (row.price.kind === "none") return t("drawer.noPrice");
  if (row.isAvailable) return t("drawer.available", { group: view.group });
  if (usable.length > 0) return t("drawer.notAvailable", { group: view.group });
  return others.length === 0
    ? t("otherGroups.someText")
    : t("otherGroups.onlyText", { groups: others.map(visible).join(t("comma")) });
}

/** To a chat with the model in the viewed group, for users who may use the playground. */
export function TryLink({ row, view, look, text }: { row: PriceRow; view: PriceView; look?: "filled"; text?: string }) {
  const { t } = useTranslation("pricing");
  const viewer = useViewer();
  if (viewer === null || !row.isAvailable || row.entry.kind !== "chat") return null;
  return (
    <Link {...buttonLook(look)} to="/playground" search={{ model: row.name, group: view.group }}>
      {text ?? t("drawer.try")}
    </Link>
  );
}
