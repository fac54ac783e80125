/** Who accepted the user agreement and the privacy policy, and when; a part of the settings section `legal`. */
import { Button, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { listAcceptances } from "../../../../../contract/src/features/status.ts";
import { call } from "../../../lib/api.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Faint } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import styles from "./sections.module.css";

const PAGE_SIZE = 10;

export function Acceptances() {
  const { t } = useTranslation(["options", "ui"]);
  const [username, setUsername] = useState("");
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ["options", "acceptances", username, page],
    queryFn: ({ signal }) => call(listAcceptances, { query: { username, p: page, page_size: PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
  });
  const { data, error } = query;
  const isLast = data === undefined || page * PAGE_SIZE >= data.total;
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <div className={styles.label}>{t("terms.label")}</div>
        <p className={styles.help}>{t("terms.help", { total: formatNumber(data?.total ?? 0) })}</p>
      </div>
      <div className={styles.result}>
        <TextInput
          aria-label={t("terms.username")}
          placeholder={t("terms.username")}
          value={username}
          onChange={(event) => {
            setUsername(event.currentTarget.value);
            setPage(1);
          }}
        />
        {error !== null && <Notice tone="red">{error.message}</Notice>}
        {(data?.items.length ?? 0) > 0 && (
          <dl className={styles.facts} aria-busy={query.isFetching}>
            {data?.items.map((row) => (
              <div key={`${row.user_id} ${row.version}`}>
                <dt>{row.username === "" ? `#${row.user_id}` : visible(row.username)}</dt>
                <dd>
                  <Time atS={row.accepted_time} as="full" /> {!row.is_current && <Faint>{t("terms.earlier")}</Faint>}
                </dd>
              </div>
            ))}
          </dl>
        )}
        {(page > 1 || !isLast) && (
          <>
            <Button size="xs" disabled={page === 1} onClick={() => setPage(page - 1)}>
              {t("terms.newer")}
            </Button>{" "}
            <Button size="xs" disabled={isLast} onClick={() => setPage(page + 1)}>
              {t("terms.older")}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
