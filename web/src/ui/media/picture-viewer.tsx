/** Pictures in full size over the page: zoom, next and previous, keys, and a download. A picture loads when it is shown. */
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconPhotoOff,
  IconX,
  IconZoomIn,
  IconZoomOut,
} from "@tabler/icons-react";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { IconButton, Spinner, unlessOff } from "../plain.tsx";
import styles from "./picture-viewer.module.css";

export interface Picture {
  /** Distinguishes it from the others. */
  id: string;
  address: string;
  /** What it is, for who cannot see it and below it: its prompt. */
  caption: string;
}

const ZOOMS = [1, 1.5, 2, 3, 4] as const;
const icon = { size: 18, stroke: 1.5, "aria-hidden": true } as const;

interface ViewerProps {
  pictures: readonly Picture[];
  /** Id of the one shown. */
  shown: string;
  onShow: (id: string) => void;
  onClose: () => void;
}

/** Runs what a key stands for; Escape stays with the dialog. */
function keyRunner(act: Readonly<Record<string, () => void>>) {
  return (event: KeyboardEvent) => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : act[event.key];
    if (run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

/** Which of the pictures is shown, how large, and how to change both. */
function useView({ pictures, shown, onShow }: Omit<ViewerProps, "onClose">) {
  const [step, setStep] = useState(0);
  const found = pictures.findIndex(({ id }) => id === shown);
  const index = Math.max(0, found);
  return {
    index,
    picture: pictures[index],
    zoom: ZOOMS[step] ?? 1,
    canShrink: step > 0,
    canGrow: step < ZOOMS.length - 1,
    zoomBy: (change: number) => setStep((old) => Math.min(Math.max(old + change, 0), ZOOMS.length - 1)),
    fit: () => setStep(0),
    go: (change: number) => {
      const next = pictures[index + change];
      if (next === undefined) return;
      setStep(0);
      onShow(next.id);
    },
  };
}

type View = ReturnType<typeof useView>;

function Bar({ view, address, count, onClose }: { view: View; address: string; count: number; onClose: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.bar}>
      <span className={styles.count}>{t("picture.count", { index: view.index + 1, total: count })}</span>
      <IconButton label={t("picture.zoomOut")} {...unlessOff(!view.canShrink, () => view.zoomBy(-1))}>
        <IconZoomOut {...icon} />
      </IconButton>
      <span className={styles.zoom} aria-live="polite">
        {Math.round(view.zoom * 100)}%
      </span>
      <IconButton label={t("picture.zoomIn")} {...unlessOff(!view.canGrow, () => view.zoomBy(1))}>
        <IconZoomIn {...icon} />
      </IconButton>
      <a
        className={styles.download}
        href={address}
        download
        target="_blank"
        rel="noreferrer"
        aria-label={t("picture.download")}
        title={t("picture.download")}
      >
        <IconDownload {...icon} />
      </a>
      <IconButton label={t("close")} onClick={onClose}>
        <IconX {...icon} />
      </IconButton>
    </div>
  );
}

/** Open while it is drawn. */
export function PictureViewer({ pictures, shown, onShow, onClose }: ViewerProps) {
  const { t } = useTranslation("ui");
  const dialog = useRef<HTMLDialogElement>(null);
  const view = useView({ pictures, shown, onShow });
  const { picture, index } = view;
  // Closed while it is still on the page, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (opened?.open === false) opened.showModal();
    return () => opened?.close();
  }, []);
  const onKeyDown = keyRunner({
    ArrowLeft: () => view.go(-1),
    ArrowRight: () => view.go(1),
    "+": () => view.zoomBy(1),
    "=": () => view.zoomBy(1),
    "-": () => view.zoomBy(-1),
    "0": view.fit,
  });
  if (picture === undefined) return null;
  const step = (change: number, label: string, isLast: boolean, Icon: typeof IconChevronLeft) => (
    <IconButton className={styles.step ?? ""} label={label} {...unlessOff(isLast, () => view.go(change))}>
      <Icon {...icon} />
    </IconButton>
  );
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.viewer}
      aria-label={t("picture.title")}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <Bar view={view} address={picture.address} count={pictures.length} onClose={onClose} />
      <div className={styles.middle}>
        {step(-1, t("picture.previous"), index === 0, IconChevronLeft)}
        <Shown
          key={picture.address}
          picture={picture}
          zoom={view.zoom}
          onZoom={() => (view.canShrink ? view.fit() : view.zoomBy(2))}
        />
        {step(1, t("picture.next"), index === pictures.length - 1, IconChevronRight)}
      </div>
      <p className={styles.caption}>{visible(picture.caption)}</p>
    </dialog>,
    document.body,
  );
}

/** The picture with its states; a double click changes between its whole and a part of it. */
function Shown({ picture, zoom, onZoom }: { picture: Picture; zoom: number; onZoom: () => void }) {
  const { t } = useTranslation("ui");
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  return (
    // Scrolled by keys where a part of the picture is shown.
    <div
      className={styles.stage}
      tabIndex={0}
      role="group"
      aria-label={t("picture.stage")}
      data-is-zoomed={zoom > 1 || undefined}
    >
      {state === "loading" && (
        <span className={styles.state} role="status" aria-label={t("picture.loading")}>
          <Spinner />
        </span>
      )}
      {state === "failed" ? (
        <span className={styles.state} role="alert">
          <IconPhotoOff size={20} stroke={1.5} aria-hidden />
          {t("picture.failed")}
        </span>
      ) : (
        <img
          className={styles.picture}
          data-state={state}
          style={zoom > 1 ? { width: `${zoom * 100}%` } : undefined}
          src={picture.address}
          alt={visible(picture.caption) || t("picture.title")}
          referrerPolicy="no-referrer"
          onLoad={() => setState("shown")}
          onError={() => setState("failed")}
          onDoubleClick={onZoom}
        />
      )}
    </div>
  );
}
