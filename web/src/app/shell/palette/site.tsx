/** The site in the command palette: its pages, and models by name with their prices. */
import { IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isMatch, shownPrice } from "../../../features/pricing/model/price-list.ts";
import { pricingQuery } from "../../../features/pricing/queries.ts";
import { useStatus } from "../../../lib/status.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import type { PaletteItem, PaletteSection } from "./item.ts";
import { SITE_PAGES } from "../site-pages.tsx";

type Go = (address: string) => void;

const MAX_MODELS = 5;
const glyph = { size: 16, stroke: 1.5 } as const;

/** Models whose names fit, at the price of the viewer's own group; and the usage log of the first of them. */
export function useModelSection(text: string, go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const viewer = useViewer();
  const { quota_per_unit, self_use_mode_enabled } = useStatus();
  const { data } = useQuery({ ...pricingQuery(viewer?.id), enabled: text !== "" });
  const group = viewer?.group ?? "";
  const view = {
    group,
    groupRatio: data?.groupRatio[group] ?? 1,
    quotaPerUnit: quota_per_unit,
    chargesUnpriced: self_use_mode_enabled,
  };
  const found =
    text === "" ? [] : (data?.entries ?? []).filter((entry) => isMatch(entry.model_name, text)).slice(0, MAX_MODELS);
  const side = (entry: (typeof found)[number]): ReactNode => {
    const price = shownPrice(entry, view);
    if (price.kind === "none") return undefined;
    return price.kind === "call" ? `$${price.call}` : `$${price.input} / $${price.output}`;
  };
  const models = found.map((entry): PaletteItem => ({
    id: `model-${entry.model_name}`,
    name: entry.model_name,
    isCode: true,
    icon: <ModelMark model={entry.model_name} size={20} />,
    detail: t("nav.pricing"),
    side: side(entry),
    run: () => go(`/pricing?keyword=${encodeURIComponent(entry.model_name)}`),
  }));
  const [first] = found;
  const log = first && {
    id: "log-of-model",
    name: t("palette:logOf", { model: first.model_name }),
    icon: <IconListDetails {...glyph} />,
    run: () => go(`/log?model_name=${encodeURIComponent(first.model_name)}`),
  };
  return { id: "models", title: t("palette:models"), items: log === undefined ? models : [...models, log] };
}

/** Home, prices and about, to stand among the pages. */
export function useSitePages(go: Go): PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  return SITE_PAGES.map(({ id, to, icon: Icon }) => ({
    id: `site-${id}`,
    name: t(`nav.${id}`),
    icon: <Icon {...glyph} />,
    run: () => go(to),
  }));
}
