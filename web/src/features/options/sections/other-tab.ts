/** The parts of the tab Other in one file, so that the tab loads with one more script and not with one for each part. */
export { ContentField, FooterField } from "./content-fields.tsx";
export { LogoField } from "./picture-fields.tsx";
export { SystemInfo } from "./system-info.tsx";
