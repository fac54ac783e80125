/** One result over the page: seen large or played, with its prompt and options, and the actions on it. */
import { IconChevronLeft, IconChevronRight, IconDownload, IconRefresh, IconTrash, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../../lib/i18n.ts";
import { formatExact } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { buttonLook, IconButton, PlainButton, unlessOff } from "../../../ui/plain.tsx";
import { CostOf, failText, useBlankText } from "../cells.tsx";
import type { Item } from "./items.ts";
import styles from "./lightbox.module.css";
import { changeDrawing, NotMade } from "./make.ts";

export interface LightboxProps {
  items: readonly Item[];
  item: Item;
  onShow: (item: Item) => void;
  onUse: (item: Item) => void;
  onRemove: (item: Item) => void;
  /** A drawing was asked for that continues this one. */
  onMade: () => void;
  onClose: () => void;
}

const icon = { size: 16, stroke: 1.5, "aria-hidden": true } as const;
/** Drawings of four pictures, of which each can be continued. */
const OF_FOUR = new Set(["IMAGINE", "VARIATION", "REROLL"]);
const FOUR = [1, 2, 3, 4] as const;

function Large({ item }: { item: Item }) {
  const { t } = useTranslation("tasks.studio");
  const name = visible(item.prompt) || t(`kind.${item.kind}`);
  const blankText = useBlankText(item);
  if (item.film !== undefined)
    return <video className={styles.film} controls autoPlay src={item.film} aria-label={name} />;
  if (item.picture !== undefined)
    return <img className={styles.picture} src={item.picture} alt={name} referrerPolicy="no-referrer" />;
  if (item.words !== "")
    return (
      <pre className={styles.words} tabIndex={0}>
        {visible(item.words)}
      </pre>
    );
  const playable = item.sounds.filter(({ address }) => address !== undefined);
  if (playable.length === 0) return <p className={styles.nothing}>{blankText}</p>;
  return (
    <ul className={styles.sounds}>
      {playable.map(({ id, title, address }) => (
        <li key={id}>
          <p>{visible(title) || t("untitled")}</p>
          <audio controls preload="none" src={address} aria-label={visible(title) || t("untitled")} />
        </li>
      ))}
    </ul>
  );
}

/** The four pictures of a drawing, each to be enlarged or varied. */
function GoOn({ item, onMade }: Pick<LightboxProps, "item" | "onMade">) {
  const { t } = useTranslation("tasks.studio");
  const [busy, setBusy] = useState("");
  const [error, setError] = useState("");
  const { row } = item;
  if (row?.platform !== "mj" || row.status !== "SUCCESS" || !OF_FOUR.has(row.action)) return null;
  const go = async (action: "UPSCALE" | "VARIATION", index: number) => {
    setBusy(`${action} ${index}`);
    setError("");
    try {
      await changeDrawing(row.taskId, action, index);
      onMade();
    } catch (failure) {
      setError(failure instanceof NotMade && failure.message !== "" ? failure.message : t("failure.unreachable"));
    } finally {
      setBusy("");
    }
  };
  return (
    <div className={styles.goOn}>
      {(["UPSCALE", "VARIATION"] as const).map((action) => (
        <div key={action} className={styles.four} role="group" aria-label={t(`goOn.${action}`)}>
          <span>{t(`goOn.${action}`)}</span>
          {FOUR.map((index) => (
            <PlainButton
              key={index}
              aria-label={t(`goOn.${action}_of`, { index })}
              isBusy={busy === `${action} ${index}`}
              onClick={() => busy === "" && void go(action, index)}
            >
              {index}
            </PlainButton>
          ))}
        </div>
      ))}
      {error !== "" && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Facts({ item }: { item: Item }) {
  const { t } = useTranslation("tasks.studio");
  const { t: ofTasks } = useTranslation("tasks");
  const { row } = item;
  const failure = row === undefined ? "" : failText(ofTasks, row);
  return (
    <dl className={styles.facts}>
      <Fact name={t("model")}>
        <span className="mono">{visible(item.model)}</span>
      </Fact>
      {item.facts.length > 0 && <Fact name={t("options")}>{visible(item.facts.join(" · "))}</Fact>}
      <Fact name={t("made")}>{formatExact(item.atS)}</Fact>
      {row !== undefined && (
        <Fact name={ofTasks("column.cost")}>
          <CostOf row={row} />
        </Fact>
      )}
      {failure !== "" && <Fact name={ofTasks("column.failed")}>{failure}</Fact>}
    </dl>
  );
}

const fileOf = ({ picture, film, sounds }: Item): string | undefined =>
  film ?? picture ?? sounds.find(({ address }) => address !== undefined)?.address;

function Acts({ item, onUse, onRemove }: Pick<LightboxProps, "item" | "onUse" | "onRemove">) {
  const { t } = useTranslation("tasks.studio");
  const file = fileOf(item);
  const requestId = item.row?.requestId ?? item.kept?.requestId ?? "";
  return (
    <div className={styles.acts}>
      <PlainButton onClick={() => onUse(item)}>
        <IconRefresh {...icon} />
        {t("act.use")}
      </PlainButton>
      {file !== undefined && (
        <a {...buttonLook()} href={file} download target="_blank" rel="noreferrer">
          <IconDownload {...icon} />
          {t("act.download")}
        </a>
      )}
      {item.kept !== undefined && (
        <PlainButton onClick={() => onRemove(item)}>
          <IconTrash {...icon} />
          {t("act.remove")}
        </PlainButton>
      )}
      {requestId !== "" && (
        <Link to="/log" search={{ request_id: requestId }}>
          {t("act.receipt")}
        </Link>
      )}
    </div>
  );
}

function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed while it is still on the page, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (opened?.open === false) opened.showModal();
    return () => opened?.close();
  }, []);
  return dialog;
}

/** Open while it is drawn. */
export function Lightbox({ items, item, onShow, onUse, onRemove, onMade, onClose }: LightboxProps) {
  const { t } = useTranslation("tasks.studio");
  const dialog = useDialog();
  const index = items.findIndex(({ id }) => id === item.id);
  const go = (by: number): void => {
    const next = items[index + by];
    if (next !== undefined) onShow(next);
  };
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    // Players have these keys themselves.
    if (target instanceof HTMLMediaElement) return;
    if (key === "ArrowLeft") go(-1);
    if (key === "ArrowRight") go(1);
  };
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.lightbox}
      aria-label={t("lightbox")}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles.stage}>
        <Large key={item.id} item={item} />
      </div>
      <aside className={styles.side}>
        <div className={styles.bar}>
          <IconButton label={t("previous")} {...unlessOff(index <= 0, () => go(-1))}>
            <IconChevronLeft {...icon} />
          </IconButton>
          <IconButton label={t("next")} {...unlessOff(index >= items.length - 1, () => go(1))}>
            <IconChevronRight {...icon} />
          </IconButton>
          <span className={styles.space} />
          <IconButton label={t("close")} onClick={onClose}>
            <IconX {...icon} />
          </IconButton>
        </div>
        <div className={styles.prompt}>
          <p>{visible(item.prompt) || t("noPrompt")}</p>
          {item.prompt !== "" && <CopyButton text={item.prompt} label={t("act.copy")} />}
        </div>
        <Facts item={item} />
        <Acts item={item} onUse={onUse} onRemove={onRemove} />
        <GoOn key={`go on ${item.id}`} item={item} onMade={onMade} />
      </aside>
    </dialog>,
    document.body,
  );
}
