/** The tab of a channel's page that edits it: the form that the list has in a drawer. It loads with its first use. */
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { ChannelEditor } from "../editor/editor-drawer.tsx";

const TestDialog = lazy(async () => ({ default: (await import("../test-dialog.tsx")).TestDialog }));

/** `onKeys` opens the keys of the channel. */
export function EditTab({ channel, onKeys }: { channel: ChannelRow; onKeys: () => void }) {
  const navigate = useNavigate();
  const [isTested, setIsTested] = useState(false);
  const open = (id: number, tab?: "edit") =>
    void navigate({ to: "/channel/$id", params: { id: String(id) }, search: { tab } });
  return (
    <>
      <ChannelEditor
        isPanel
        id={channel.id}
        onClose={() => open(channel.id)}
        onRemoved={() => void navigate({ to: "/channel" })}
        onChooseModel={() => setIsTested(true)}
        onKeys={onKeys}
        onOpen={(id) => open(id, "edit")}
      />
      <Suspense>{isTested && <TestDialog channel={channel} onClose={() => setIsTested(false)} />}</Suspense>
    </>
  );
}
