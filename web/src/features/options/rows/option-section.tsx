/** One section of the page: its title, what it is for, the parts of its own, and its options. */
import { useTranslation } from "react-i18next";
import type { OptionSection } from "../../../../../contract/src/options/sections.ts";
import { useSectionDraft } from "../draft/settings.ts";
import { SECTION_PARTS, type SectionPart } from "../sections/parts.ts";
import { OptionRow } from "./option-row.tsx";
import styles from "./rows.module.css";

export const sectionId = (section: string): string => `section-${section}`;

function Part({ part: Drawn }: { part: SectionPart }) {
  const draft = useSectionDraft();
  return <Drawn draft={draft} />;
}

/** Title and purpose; panels that stand alone have the same. */
export function SectionHead({ section }: { section: OptionSection }) {
  const { t } = useTranslation("options");
  return (
    <>
      <h2 className={styles.title}>{t(`section.${section}.title`)}</h2>
      <p className={styles.purpose}>{t(`section.${section}.purpose`)}</p>
    </>
  );
}

export function OptionSectionRows({ section, options }: { section: OptionSection; options: readonly string[] }) {
  const { before, after, fields = {} } = SECTION_PARTS[section] ?? {};
  return (
    <section className={styles.section} id={sectionId(section)} data-section={section}>
      <SectionHead section={section} />
      {before !== undefined && <Part part={before} />}
      {options.map((name) => (
        <OptionRow key={name} name={name} control={fields[name]} />
      ))}
      {after !== undefined && <Part part={after} />}
    </section>
  );
}
