/** The command palette (Ctrl/Cmd+K): every page, every action, tokens and channels by name. */
import { Modal } from "@mantine/core";
import { useDebouncedValue, useMounted } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Fragment, type KeyboardEvent, useEffect, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import styles from "./command-palette.module.css";
import { usePaletteSections } from "./items.tsx";
import type { PaletteItem, PaletteSection } from "./item.ts";
import { markedParts } from "./matching.ts";

const PAUSE_MS = 150;
/** By then the palette has returned the focus, so that the next dialog remembers the right element. */
const FOCUS_RETURNS_MS = 30;

/** The name with the typed words marked. */
const Marked = ({ name, text }: { name: string; text: string }) =>
  // The parts of one text never change their order.
  markedParts(name, text).map((part, index) =>
    part.isMarked ? <mark key={index}>{part.text}</mark> : <Fragment key={index}>{part.text}</Fragment>,
  );

function Item({
  item,
  text,
  isActive,
  onPick,
  onPoint,
}: {
  item: PaletteItem;
  text: string;
  isActive: boolean;
  onPick: () => void;
  onPoint: () => void;
}) {
  const { t } = useTranslation(["shell", "palette"]);
  return (
    <div
      role="option"
      id={`palette-${item.id}`}
      aria-selected={isActive}
      className={styles.item}
      onClick={onPick}
      onMouseMove={onPoint}
    >
      <span className={styles.icon}>{item.icon}</span>
      <span className={`${styles.name} ${item.isCode === true ? "mono" : ""}`}>
        <bdi>
          <Marked name={visible(item.name)} text={text} />
        </bdi>
      </span>
      {item.detail && (
        <bdi className={styles.detail}>{typeof item.detail === "string" ? visible(item.detail) : item.detail}</bdi>
      )}
      <span className={styles.side}>
        {item.side}
        {isActive && <span className={styles.open}>↵ {t("palette:open")}</span>}
      </span>
    </div>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves through the items. The first one is preselected unless it creates something; -1 where none is selected. */
function usePaletteKeys(items: PaletteItem[], pick: (item: PaletteItem) => void) {
  const [active, setActive] = useState<number>();
  const first = items[0]?.wantsChoice === true ? -1 : 0;
  const index = Math.min(active ?? first, items.length - 1);
  const item = items[index];
  const activeId = item && `palette-${item.id}`;
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the composition of an input method is not for us.
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (step !== undefined && items.length > 0)
      setActive((Math.max(index, step > 0 ? -1 : 0) + step + items.length) % items.length);
    else if (event.key === "Enter" && item) pick(item);
    else return;
    event.preventDefault();
  };
  return { index, setActive, onKeyDown, activeId };
}

function Results({
  sections,
  items,
  text,
  index,
  onPick,
  onPoint,
}: {
  sections: readonly PaletteSection[];
  items: PaletteItem[];
  text: string;
  index: number;
  onPick: (item: PaletteItem) => void;
  onPoint: (index: number) => void;
}) {
  const { t } = useTranslation(["shell", "palette"]);
  return (
    <div className={styles.results} role="listbox" id="palette-results" aria-label={t("palette:results")}>
      {items.length === 0 && <div className={styles.nothing}>{t("palette:nothing")}</div>}
      {sections.map((section) => (
        <div key={section.id} role="group" aria-label={section.title}>
          <div className={styles.heading} aria-hidden>
            {section.title}
          </div>
          {section.items.map((item) => (
            <Item
              key={item.id}
              item={item}
              text={text}
              isActive={items[index] === item}
              onPick={() => onPick(item)}
              onPoint={() => onPoint(items.indexOf(item))}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function Palette({ takeEarly, onClose }: { takeEarly: () => string; onClose: () => void }) {
  const { t } = useTranslation(["shell", "palette"]);
  const [typed, setTyped] = useState("");
  const text = typed.trim();
  const [searched] = useDebouncedValue(text, PAUSE_MS);
  const sections = usePaletteSections(text, searched);
  const items = sections.flatMap((section) => section.items);
  const pick = (item: PaletteItem) => {
    onClose();
    setTimeout(item.run, FOCUS_RETURNS_MS);
  };
  const keys = usePaletteKeys(items, pick);
  return (
    <>
      <div className={styles.input}>
        <IconSearch size={17} stroke={1.5} aria-hidden />
        <input
          data-autofocus
          className={styles.field}
          role="combobox"
          aria-expanded
          aria-controls="palette-results"
          aria-activedescendant={keys.activeId}
          aria-label={t("search.label")}
          placeholder={t("search.label")}
          value={typed}
          onFocus={() => {
            const early = takeEarly();
            if (early !== "") setTyped((text) => text + early);
          }}
          onKeyDown={keys.onKeyDown}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            keys.setActive(undefined);
          }}
        />
        <kbd className={styles.kbd}>Esc</kbd>
      </div>
      <Results
        sections={sections}
        items={items}
        text={text}
        index={keys.index}
        onPick={pick}
        onPoint={keys.setActive}
      />
      <div className={styles.foot}>
        <span className={styles.keys}>
          <kbd className={styles.kbd}>↑↓</kbd> {t("palette:move")}
        </span>
        <span aria-live="polite">{t("palette:count", { count: items.length })}</span>
      </div>
    </>
  );
}

/** @param takeEarly gives what was typed before the field had the focus, once. */
export function CommandPalette({
  isOpen,
  takeEarly,
  onClose,
}: {
  isOpen: boolean;
  takeEarly: () => string;
  onClose: () => void;
}) {
  const { t } = useTranslation(["shell", "palette"]);
  // Starts closed: it remembers the focus, to return it later, only when it opens after the first render.
  const isDrawn = useMounted();
  return (
    <Modal.Root opened={isDrawn && isOpen} onClose={onClose} size={640} yOffset={112} xOffset={12}>
      <Modal.Overlay />
      <Modal.Content radius={12} className={styles.box ?? ""} aria-label={t("search.label")}>
        <Palette takeEarly={takeEarly} onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}
