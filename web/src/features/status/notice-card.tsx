/** The announcement: a card over the corner of any page, once for each text of it in each browser. */
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { loadTexts } from "../../lib/i18n.ts";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";
import { contentOf, hashOf } from "../../ui/content/content-of.ts";
import { noticeQuery } from "./queries.ts";

/** Loaded with the first announcement there is, and with its words: the card comes whole. */
const NoticePanel = lazy(async () => {
  const [{ NoticePanel: drawn }] = await Promise.all([import("./notice-panel.tsx"), loadTexts("status")]);
  return { default: drawn };
});

export function NoticeCard() {
  // A notice that cannot be loaded is none: it is asked for again with the next page.
  const { data = "" } = useQuery(noticeQuery);
  const hash = hashOf(data);
  const [closed, setClosed] = useState(() => readStored(STORAGE.seenNotice));
  const content = contentOf(data);
  if (content.kind === "none" || closed === hash) return null;
  const close = () => {
    writeStored(STORAGE.seenNotice, hash);
    setClosed(hash);
  };
  return (
    <Suspense fallback={null}>
      <NoticePanel content={content} onClose={close} />
    </Suspense>
  );
}
