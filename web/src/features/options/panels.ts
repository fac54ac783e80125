/** Sections of the settings page that a part of another feature draws, alone on the page; the rest are lists of options. */
import type { ComponentType } from "react";
import type { OptionSection } from "../../../../contract/src/options/sections.ts";

export type SettingPanels = Partial<Record<OptionSection, ComponentType>>;
