/** What a row opens into: its texts in full, its result, what it cost and where that stands in the usage log. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatExact } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { ChannelTag, CodeTag, CostOf, failText, PictureButton, type TaskActs, UserOf } from "./cells.tsx";
import type { TaskRow } from "./model/task-row.ts";
import { LyricsOf, Songs, VideoOf } from "./result.tsx";
import styles from "./tasks.module.css";

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Text = ({ name, text }: { name: string; text: string }) =>
  text === "" ? null : (
    <Fact name={name}>
      <bdi className={styles.wholeText}>{visible(text)}</bdi>
    </Fact>
  );

export function Details({ row, acts }: { row: TaskRow; acts: TaskActs }) {
  const { t } = useTranslation("tasks");
  return (
    <div className={styles.details}>
      <dl className={styles.facts}>
        <Text name={t("column.prompt")} text={row.prompt} />
        <Text name={t("column.promptEn")} text={row.promptEn} />
        <Text name={t("column.failed")} text={failText(t, row)} />
        {row.submitS > 0 && <Fact name={t("column.submitted")}>{formatExact(row.submitS)}</Fact>}
        {row.finishS > 0 && <Fact name={t("column.finished")}>{formatExact(row.finishS)}</Fact>}
        {row.channelId > 0 && (
          <Fact name={t("column.channel")}>
            <ChannelTag row={row} />
          </Fact>
        )}
        {row.username !== "" && (
          <Fact name={t("column.user")}>
            <UserOf row={row} onUser={acts.onUser} />
          </Fact>
        )}
        {row.code !== undefined && (
          <Fact name={t("column.code")}>
            <CodeTag row={row} />
          </Fact>
        )}
        {row.model !== "" && (
          <Fact name={t("column.model")}>
            <code>{visible(row.model)}</code>
          </Fact>
        )}
        <Fact name={t("column.cost")}>
          <CostOf row={row} />
        </Fact>
        {row.requestId !== "" && (
          <Fact name={t("column.requestId")}>
            <Copy text={row.requestId} isIconShown>
              <code>{row.requestId}</code>
            </Copy>
          </Fact>
        )}
      </dl>
      <div className={styles.results}>
        {row.pictureUrl !== "" && <PictureButton row={row} onPicture={acts.onPicture} />}
        <VideoOf row={row} />
        <Songs data={row.data} />
        <LyricsOf data={row.data} />
        <div className={styles.links}>
          {row.requestId !== "" && (
            <Link className={styles.link} to="/log" search={{ request_id: row.requestId }}>
              {t("openLog")}
            </Link>
          )}
          <button type="button" className={styles.link} onClick={() => acts.onRecord(row)}>
            {t("openRecord")}
          </button>
        </div>
      </div>
    </div>
  );
}
