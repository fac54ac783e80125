/** One model's prices in full: every kind of token with its ratios in the viewed group, and input and output in every group. */
import { useTranslation } from "react-i18next";
import type { Part } from "../../../../contract/src/pricing.ts";
import { formatRatio } from "../../lib/format.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { SideDrawer } from "../../ui/form-drawer.tsx";
import { ModelMark } from "../../ui/provider-mark.tsx";
import { RatioTag } from "../../ui/tags.tsx";
import { padDecimals, type PriceRow, type PriceView, shownPrice, usdOfPart } from "./fns/price-list.ts";
import styles from "./model-drawer.module.css";
import type { GroupChoice } from "./view.ts";

/** Kinds of tokens with the ratios they have beside the model's, in the order of a receipt. */
const partsOf = ({ entry }: PriceRow): { part: Part; ratio: number }[] => [
  { part: "input", ratio: 1 },
  { part: "cacheRead", ratio: entry.cache_ratio },
  { part: "cacheWrite", ratio: entry.cache_creation_ratio },
  { part: "imageInput", ratio: entry.image_ratio },
  { part: "audioInput", ratio: entry.audio_ratio },
  { part: "output", ratio: entry.completion_ratio },
  { part: "audioOutput", ratio: entry.audio_ratio * entry.audio_completion_ratio },
];

function PartTable({ row, view }: { row: PriceRow; view: PriceView }) {
  const { t } = useTranslation("pricing");
  return (
    <table className={styles.facts}>
      <caption>{t("drawer.parts", { group: view.group })}</caption>
      <thead>
        <tr>
          <th scope="col">{t("drawer.part")}</th>
          <th scope="col">{t("drawer.ratios")}</th>
          <th scope="col">{t("drawer.perMillion")}</th>
        </tr>
      </thead>
      <tbody>
        {partsOf(row).map(({ part, ratio }) => (
          <tr key={part}>
            <th scope="row">{t(`parts.${part}`)}</th>
            <td>
              {[
                formatRatio(row.entry.model_ratio),
                ...(part === "input" ? [] : [formatRatio(ratio)]),
                formatRatio(view.groupRatio),
              ]
                .map((ratio) => ratio.replace("×", ""))
                .join(" × ")}
            </td>
            <td>${padDecimals(usdOfPart(row.entry, part, view) ?? "0", 2)}</td>
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

function GroupTable({ row, view, groups }: { row: PriceRow; view: PriceView; groups: readonly GroupChoice[] }) {
  const { t } = useTranslation("pricing");
  const isPerCall = row.entry.quota_type === 1;
  const heads = isPerCall ? [t("drawer.oneCall")] : [t("columns.input"), t("columns.output")];
  return (
    <table className={styles.facts}>
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
              <th scope="row">{group.name}</th>
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

export function ModelDrawer({
  row,
  view,
  groups,
  onClose,
}: {
  row: PriceRow;
  view: PriceView;
  groups: readonly GroupChoice[];
  onClose: () => void;
}) {
  const { t } = useTranslation("pricing");
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={row.name}
      mark={<ModelMark model={row.name} size={24} />}
      headActions={<CopyButton text={row.name} label={t("copyName")} />}
    >
      <p className={styles.drawerLine}>
        {t(row.isAvailable ? "drawer.available" : "drawer.notAvailable", { group: view.group })}
      </p>
      {row.price.kind === "none" && <p className={styles.drawerLine}>{t("drawer.noPrice")}</p>}
      {row.price.kind === "tokens" && <PartTable row={row} view={view} />}
      <GroupTable row={row} view={view} groups={groups} />
    </SideDrawer>
  );
}
