/** The channels page: the list, its drawers and dialogs. */
import { Button } from "@mantine/core";
import { IconHeartbeat, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { useMay } from "../../lib/viewer.ts";
import { Withheld } from "../../ui/feedback/withheld.tsx";
import { LostModelsLine } from "../../ui/lost-models.tsx";
import { Page } from "../../ui/page.tsx";
import { BALANCE_RUN } from "./balance-run.ts";
import styles from "./channels.module.css";
import type { Created } from "./created.tsx";
import { useFollowedRun } from "./follow-run.ts";
import { ChannelList } from "./list/channel-list.tsx";
import type { Chosen } from "./model/chosen.ts";
import type { TagEntry } from "./model/rows.ts";
import { channelCountsQuery } from "./queries.ts";
import { TEST_RUN, useTestRun } from "./test-run.ts";
import { useChannelView } from "./view.ts";

/** A drawer that shows keys, with its words. */
async function withTexts<Component>(load: Promise<Component>, ...texts: string[]): Promise<{ default: Component }> {
  const [component] = await Promise.all([load, loadTexts("channel-keys", ...texts)]);
  return { default: component };
}
const ChannelEditor = lazy(() =>
  withTexts(
    import("./editor/editor-drawer.tsx").then((part) => part.ChannelEditor),
    "channel-editor",
  ),
);
const CreatedPanel = lazy(async () => ({ default: (await import("./created.tsx")).CreatedPanel }));
const TagDrawer = lazy(async () => ({ default: (await import("./editor/tag-drawer.tsx")).TagDrawer }));
const TestDialog = lazy(() => withTexts(import("./test-dialog.tsx").then((part) => part.TestDialog)));
const KeysDrawer = lazy(() => withTexts(import("./keys/keys-drawer.tsx").then((part) => part.KeysDrawer)));
const TakeModelDialog = lazy(async () => ({ default: (await import("./take-model-dialog.tsx")).TakeModelDialog }));
const SetTagDialog = lazy(async () => ({ default: (await import("./set-tag-dialog.tsx")).SetTagDialog }));

function Purpose() {
  const { t } = useTranslation("channels");
  const counts = useQuery(channelCountsQuery);
  const { all = 0, enabled = 0 } = counts.data ?? {};
  return (
    <>
      <span className={styles.sentence}>{t("purpose")} </span>
      {all > 0 && <span className={styles.counts}>{t("enabledOf", { enabled, all })}</span>}
    </>
  );
}

/** Where it is seen how well each of them serves its models. */
function HealthLink() {
  const { t } = useTranslation("channels");
  return (
    <Link to="/channel/health" className={styles.health}>
      {t("health")}
    </Link>
  );
}

function Actions({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation("channels");
  const test = useTestRun();
  useFollowedRun(TEST_RUN);
  useFollowedRun(BALANCE_RUN);
  const counts = useQuery(channelCountsQuery);
  const mayOperate = useMay("channels_operate");
  const mayWrite = useMay("channels_write");
  // An empty list has the page's one action in its middle.
  if (counts.data?.all === 0) return null;
  return (
    <>
      {mayOperate && (
        <Button leftSection={<IconHeartbeat size={15} stroke={1.5} />} onClick={() => void test()}>
          {t("testAll.action")}
        </Button>
      )}
      {mayWrite && (
        <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onCreate}>
          {t("create")}
        </Button>
      )}
    </>
  );
}

export function ChannelsPage() {
  const { t } = useTranslation("channels");
  const state = useChannelView();
  const [tag, setTag] = useState<TagEntry>();
  const [keysOf, setKeysOf] = useState<ChannelRow>();
  const [tested, setTested] = useState<ChannelRow>();
  const [toTag, setToTag] = useState<{ chosen: Chosen; onDone: () => void }>();
  const [toTake, setToTake] = useState<{ chosen: Chosen; onDone: () => void }>();
  const [created, setCreated] = useState<Created>();
  const { drawer } = state;
  return (
    <Page title={t("title")} purpose={<Purpose />} info={<HealthLink />} actions={<Actions onCreate={state.openAdd} />}>
      <LostModelsLine />
      <Withheld permissions={["channels_operate", "channels_write", "channels_secrets"]} />
      <Suspense fallback={null}>
        {created && <CreatedPanel key={created.ids[0]} created={created} onClose={() => setCreated(undefined)} />}
      </Suspense>
      <ChannelList
        state={state}
        onEditTag={setTag}
        onChooseModel={setTested}
        onKeys={setKeysOf}
        onSetTag={(chosen, onDone) => setToTag({ chosen, onDone })}
        onTakeModel={(chosen, onDone) => setToTake({ chosen, onDone })}
      />
      <Suspense fallback={null}>
        {drawer.kind !== "none" && (
          <ChannelEditor
            key={drawer.kind === "edit" ? drawer.id : "add"}
            id={drawer.kind === "edit" ? drawer.id : undefined}
            onClose={state.closeDrawer}
            onChooseModel={setTested}
            onKeys={setKeysOf}
            onOpen={state.openEdit}
            onCreated={setCreated}
          />
        )}
        {keysOf && <KeysDrawer key={keysOf.id} channel={keysOf} onClose={() => setKeysOf(undefined)} />}
        {tag && <TagDrawer key={tag.tag} entry={tag} onClose={() => setTag(undefined)} />}
        {tested && <TestDialog key={tested.id} channel={tested} onClose={() => setTested(undefined)} />}
        {toTake && (
          <TakeModelDialog chosen={toTake.chosen} onDone={toTake.onDone} onClose={() => setToTake(undefined)} />
        )}
        {toTag && <SetTagDialog chosen={toTag.chosen} onDone={toTag.onDone} onClose={() => setToTag(undefined)} />}
      </Suspense>
    </Page>
  );
}
