/** What the address of the settings page may ask for. The router loads it for every page, so the page itself knows tabs and sections. */
import { searchReader, text } from "../../lib/search.ts";

/** `option` is the field to jump to. */
export const settingSearch = searchReader({ tab: text, section: text, option: text });
