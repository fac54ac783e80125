/** The studio: a form for pictures, songs, speech and videos, and a gallery of all results, to see, hear and use again. */
import { Button } from "@mantine/core";
import { IconPhoto, IconMusic } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { useSearchState } from "../../../lib/search.ts";
import { CardGhost, CardPlace } from "../../../ui/display/card.tsx";
import { Empty, ErrorState } from "../../../ui/feedback/empty.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { Page } from "../../../ui/page.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import { FIRST_OPTIONS, STUDIO_KINDS, type StudioKind } from "../model/studio.ts";
import { studioSearch } from "../route.ts";
import { Card, type CardActs } from "./card.tsx";
import { type Item, type Sound, useItems, useStudioModels } from "./items.ts";
import { removeKept } from "./kept.ts";
import { type Draft, EMPTY_DRAFT, Maker } from "./maker.tsx";
import styles from "./studio.module.css";

const Lightbox = lazy(async () => ({ default: (await import("./lightbox.tsx")).Lightbox }));
const Player = lazy(async () => ({ default: (await import("./player.tsx")).Player }));

type Shown = StudioKind | "all";

const icon = { size: 15, stroke: 1.5, "aria-hidden": true } as const;

/** The same as tables. */
function ToLogs() {
  const { t } = useTranslation("tasks.studio");
  return (
    <>
      <Link to="/midjourney" {...buttonLook()}>
        <IconPhoto {...icon} />
        {t("log.drawings")}
      </Link>
      <Link to="/task" {...buttonLook()}>
        <IconMusic {...icon} />
        {t("log.tasks")}
      </Link>
    </>
  );
}

function Cards({ items, ...acts }: { items: readonly Item[] } & CardActs) {
  const { t } = useTranslation("tasks.studio");
  return (
    <ul className={styles.cards} aria-label={t("gallery")}>
      {items.map((item) => (
        <Card key={item.id} item={item} {...acts} />
      ))}
    </ul>
  );
}

/** Cards of the size of those that come. */
const Loading = () => (
  <div className={styles.cards} aria-hidden>
    {Array.from({ length: 8 }, (_, index) => (
      <div key={index} className={styles.card} data-is-loading>
        <div className={styles.media} />
        <i />
        <i />
      </div>
    ))}
  </div>
);

function Gallery({
  found,
  shown,
  setShown,
  acts,
}: {
  found: ReturnType<typeof useItems>;
  shown: Shown;
  setShown: (shown: Shown) => void;
  acts: CardActs;
}) {
  const { t } = useTranslation("tasks.studio");
  const { items, tasks, isReady, isForgetful } = found;
  const visibleItems = shown === "all" ? items : items.filter(({ kind }) => kind === shown);
  const isFailed = tasks.isError && tasks.data === undefined;
  return (
    <>
      <div className={styles.galleryHead}>
        <Segmented<Shown>
          label={t("show")}
          options={(["all", ...STUDIO_KINDS] as const).map((value) => ({ value, text: t(`show_${value}`) }))}
          value={shown}
          onChange={setShown}
        />
        <p className={styles.note}>{t(isForgetful ? "forgetful" : "keptHere")}</p>
      </div>
      {isFailed && <ErrorState title={t("notLoaded")} error={tasks.error} onRetry={() => void tasks.refetch()} />}
      {!isReady && !isFailed && <Loading />}
      {isReady && !isFailed && visibleItems.length === 0 && (
        <Empty title={t("empty.title")} sentence={t("empty.text")} />
      )}
      {isReady && !isFailed && visibleItems.length > 0 && <Cards items={visibleItems} {...acts} />}
      {tasks.hasNextPage && (
        <div className={styles.more}>
          <Button loading={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
            {t("more")}
          </Button>
        </div>
      )}
    </>
  );
}

/** The text of the box, which an address may bring along. */
function useDraft(): [Draft, (draft: Draft) => void] {
  const [search] = useSearchState(studioSearch);
  return useState<Draft>(() => ({ ...EMPTY_DRAFT, model: search.model ?? "", prompt: search.prompt ?? "" }));
}

const draftOf = ({ model, prompt, kept }: Item): Draft => ({ model, prompt, options: kept?.options ?? FIRST_OPTIONS });

/** The open and the played result. */
function useOpened() {
  const [openId, setOpenId] = useState("");
  const [playing, setPlaying] = useState<Sound>();
  const acts: CardActs = useMemo(() => ({ onOpen: ({ id }) => setOpenId(id), onPlay: setPlaying }), []);
  return { openId, setOpenId, playing, setPlaying, acts };
}

export function StudioPage() {
  const { t } = useTranslation("tasks.studio");
  const { models, error, retry } = useStudioModels();
  const found = useItems();
  const [draft, setDraft] = useDraft();
  const [shown, setShown] = useState<Shown>("all");
  const { openId, setOpenId, playing, setPlaying, acts } = useOpened();
  const { items, tasks } = found;
  const opened = items.find(({ id }) => id === openId);
  const sounds = useMemo(
    () => items.flatMap((item) => item.sounds).filter(({ address }) => address !== undefined),
    [items],
  );
  const refresh = (): void => void tasks.refetch();
  return (
    <div className={styles.root}>
      <Page title={t("title")} purpose={t("purpose")} actions={<ToLogs />}>
        <div className={styles.content}>
          {models === undefined && (
            <div className={styles.makerPlace}>
              {error === null ? (
                <CardGhost />
              ) : (
                <CardPlace>
                  <ErrorState title={t("noModels.failed")} error={error} onRetry={retry} />
                </CardPlace>
              )}
            </div>
          )}
          {models?.length === 0 && <p className={styles.note}>{t("noModels.none")}</p>}
          {models !== undefined && models.length > 0 && (
            <Maker models={models} draft={draft} onDraft={setDraft} onMade={refresh} />
          )}
          <Gallery found={found} shown={shown} setShown={setShown} acts={acts} />
        </div>
      </Page>
      <Suspense fallback={null}>
        {playing !== undefined && (
          <Player sounds={sounds} playing={playing} onPlay={setPlaying} onClose={() => setPlaying(undefined)} />
        )}
        {opened !== undefined && (
          <Lightbox
            items={items}
            item={opened}
            onShow={({ id }) => setOpenId(id)}
            onUse={(item) => {
              setDraft(draftOf(item));
              setOpenId("");
            }}
            onRemove={({ kept }) => {
              setOpenId("");
              if (kept !== undefined) void removeKept([kept]);
            }}
            onMade={refresh}
            onClose={() => setOpenId("")}
          />
        )}
      </Suspense>
    </div>
  );
}
