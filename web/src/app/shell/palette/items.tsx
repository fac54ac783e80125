/** What the command palette offers for a typed text: the call of a pasted id, objects by name, pages and actions, in this order. */
import { IconListDetails } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useRole } from "../../../lib/viewer.ts";
import { visibleGroups } from "../entries.tsx";
import { useActionSection } from "./actions.tsx";
import { useChannelSection } from "./channels.tsx";
import type { PaletteSection } from "./item.ts";
import { matches, requestIdIn } from "./matching.ts";
import { usePeopleSection } from "./people.tsx";
import { useSettingSection } from "./settings.tsx";
import { useModelSection, useSitePages } from "./site.tsx";
import { useTokenEntries } from "./tokens.tsx";

type Go = (address: string) => void;

const glyph = { size: 16, stroke: 1.5 } as const;

/** Goes to an address of this console; its features read what follows the question mark. */
function useGo(): Go {
  const navigate = useNavigate();
  return (address) => void navigate({ href: address });
}

function usePages(go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const role = useRole();
  const items = visibleGroups(role).flatMap((group) =>
    group.entries.map((entry) => ({
      id: `page-${entry.id}`,
      name: t(`entries.${entry.id}`),
      icon: <entry.icon {...glyph} />,
      run: () => go(entry.to),
    })),
  );
  return { id: "pages", title: t("palette:pages"), items: [...items, ...useSitePages(go)] };
}

/** A pasted request id leads to its entry in the log. */
function useCallSection(typed: string, go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const id = requestIdIn(typed);
  const open = {
    id: "request",
    name: t("palette:openCall"),
    icon: <IconListDetails {...glyph} />,
    detail: <span className="mono">{id}</span>,
    run: () => go(`/log?request_id=${id ?? ""}`),
  };
  return { id: "calls", title: t("entries.logs"), items: id === undefined ? [] : [open] };
}

const matching = (section: PaletteSection, text: string): PaletteSection => ({
  ...section,
  items: text === "" ? section.items : section.items.filter((item) => matches(item.name, text)),
});

/** Whether the text is the beginning of one of the section's names: whoever types "chan" and Enter means the page. */
const isNamedIn = (section: PaletteSection, text: string): boolean =>
  text !== "" && section.items.some(({ name }) => name.toLowerCase().startsWith(text.toLowerCase()));

/** All sections that search by name. */
function useFound(text: string, go: Go): { sections: PaletteSection[]; create: PaletteSection["items"] } {
  const { t } = useTranslation(["shell", "palette"]);
  const { found, actions, create } = useTokenEntries(text, go);
  const tokens = { id: "tokens", title: t("entries.tokens"), items: [...found, ...actions] };
  return {
    sections: [
      tokens,
      useChannelSection(text, go),
      usePeopleSection(text, go),
      useModelSection(text, go),
      useSettingSection(text, go),
    ],
    create,
  };
}

/**
 * The sections for what was typed; pages and actions without it. `searched` follows `typed` after a pause, so until then
 * what was found for the text before is kept only where it fits the new one: Enter never picks what is not meant.
 */
export function usePaletteSections(typed: string, searched: string): PaletteSection[] {
  const { t } = useTranslation(["shell", "palette"]);
  const go = useGo();
  const calls = useCallSection(typed, go);
  const { sections, create } = useFound(searched, go);
  const found = sections.map((section) => (typed === searched ? section : matching(section, typed)));
  const pages = matching(usePages(go), typed);
  const actions = matching(useActionSection(go), typed);
  const ordered = isNamedIn(pages, typed) ? [pages, ...found, actions] : [...found, pages, actions];
  // A pasted id is not a name for a token.
  const offered = typed === searched && calls.items.length === 0 ? create : [];
  const last = { id: "create", title: t("palette:create"), items: offered };
  return [calls, ...ordered, last].filter((section) => section.items.length > 0);
}
