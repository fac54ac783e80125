/** The sheet with all shortcuts of this page, and the switch that disables single keys. */
import { Modal, Switch } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useEscapeLayer } from "../escape-layer.ts";
import { IconButton } from "../plain.tsx";
import styles from "./shortcut-sheet.module.css";
import { presentShortcuts, type Shortcut, type ShortcutSection } from "./shortcuts.ts";

const SECTIONS: readonly ShortcutSection[] = ["everywhere", "goTo", "list", "page"];

/** Key names as printed on keyboards. */
const PRINTED: Readonly<Record<string, string>> = { Enter: "↵", Escape: "Esc" };

function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split(" ").map((key) => (
        <kbd key={key} className={styles.key}>
          {PRINTED[key] ?? key}
        </kbd>
      ))}
    </span>
  );
}

function Section({ section, rows }: { section: ShortcutSection; rows: readonly Shortcut[] }) {
  const { t } = useTranslation("ui");
  const own = rows.filter((row) => row.section === section);
  if (own.length === 0) return null;
  return (
    <section>
      <h3 className={styles.heading}>{t(`shortcuts.${section}`)}</h3>
      <dl className={styles.list}>
        {own.map(({ keys, label }) => (
          <div key={keys} className={styles.row}>
            <dt>{label}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** z-index of a drawer, which it is never opened over. */
const LAYER = 200;

interface SheetProps {
  isOpen: boolean;
  onClose: () => void;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}

export function ShortcutSheet({ isOpen, onClose, isOn, onToggle }: SheetProps) {
  const { t } = useTranslation("ui");
  const [rows] = useState(presentShortcuts);
  // Starts closed: it remembers the focus, to return it later, only when it opens after the first render.
  const isDrawn = useMounted();
  const escape = useEscapeLayer(isDrawn && isOpen, LAYER);
  return (
    <Modal.Root {...escape} opened={isDrawn && isOpen} onClose={onClose} centered size={640} zIndex={LAYER}>
      <Modal.Overlay />
      <Modal.Content radius={12}>
        <div className={styles.sheet}>
          <div className={styles.head}>
            <Modal.Title className={styles.title ?? ""}>{t("shortcuts.title")}</Modal.Title>
            <IconButton label={t("close")} onClick={onClose}>
              <IconX size={16} stroke={1.5} />
            </IconButton>
          </div>
          <div className={styles.sections}>
            {SECTIONS.map((section) => (
              <Section key={section} section={section} rows={rows} />
            ))}
          </div>
          <label className={styles.foot}>
            <Switch
              aria-label={t("shortcuts.on")}
              checked={isOn}
              onChange={(event) => onToggle(event.currentTarget.checked)}
            />
            <span>
              {t("shortcuts.on")} <span className={styles.hint}>{t("shortcuts.onHint")}</span>
            </span>
          </label>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
