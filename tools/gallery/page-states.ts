/** The states of the pages of single things and of the whole (a channel, a person, the wallet, studio, audit, system): late, failed, refused, absent, empty and huge. */
import type { SystemCheck, SystemFacts } from "../../contract/src/features/system.ts";
import type { GalleryPage, StubbedAnswer } from "./gallery-page.ts";
import { site } from "./people-states.ts";

type Answer = StubbedAnswer["answer"];

/** The rows of a list, or of a page of it, that many times over, each with an id of its own. */
function times(count: number): Answer {
  const repeat = (data: unknown): unknown => {
    if (!Array.isArray(data)) {
      const page = data as { items: unknown[] };
      const items = repeat(page.items) as unknown[];
      return { ...page, items, total: items.length };
    }
    const rows = data as readonly { id?: unknown }[];
    const copy = (row: { id?: unknown }, turn: number) =>
      typeof row.id === "number" ? { ...row, id: row.id + turn * 100_000 } : row;
    return Array.from({ length: count }, (_, turn) => rows.map((row) => copy(row, turn))).flat();
  };
  return { from: repeat };
}

/** A system on which much is wrong: parts that are late or failed, a backup under way and one that failed. */
const inTrouble = (facts: SystemFacts): SystemFacts => ({
  ...facts,
  database: { data: null, failure: "late" },
  tables: { data: null, failure: "permission denied for function pg_total_relation_size" },
  jobs: {
    ...facts.jobs,
    data: (facts.jobs.data ?? []).map((job, at) => (at === 1 ? { ...job, failure: "connect ECONNREFUSED" } : job)),
  },
  backups: {
    data: [
      {
        name: "folder",
        shown: "/var/lib/turnpike/backups",
        tried_time: facts.now - 40,
        finished_time: facts.now - 86_400,
        failure: "",
        is_requested: false,
        progress: { step: "writing", rows: 1_204_000, total: 4_310_220, started_time: facts.now - 40 },
        files: [{ file: "turnpike-2026-11-27T03-00.backup", bytes: 812_000_000, time: facts.now - 86_400 }],
        files_failure: "",
      },
      {
        name: "bucket",
        shown: "s3://acme-backups/turnpike",
        tried_time: facts.now - 7200,
        finished_time: 0,
        failure: "The bucket refused the key",
        is_requested: false,
        progress: null,
        files: null,
        files_failure: "late",
      },
    ],
    failure: "",
  },
});

/** A row of each state. */
const failing = (checks: readonly SystemCheck[]): readonly SystemCheck[] =>
  checks.map((check, at) => ({ ...check, status: (["fail", "warn", "ok"] as const)[at % 3] ?? "ok" }));

/** An empty page of a list, in the two forms that lists have. */
const NO_ITEMS: Answer = { data: { items: [], total: 0, page: 1, page_size: 20 } };

interface Row {
  page: string;
  path: string;
  as: GalleryPage["as"];
  /** What the page is made of, and what comes in its place by the state's name. */
  url: string;
  states: Readonly<Record<string, Answer>>;
  isStill?: boolean;
  /** What a picture of an answer is about, where it stands below the fold of a phone. */
  shown?: string;
  /** What stands for an answer that is late, where that is below the fold of a phone. */
  late?: string;
}

const LATE = { loading: "never", failed: "fails" } as const;
const KEPT_FROM_SOME = { ...LATE, refused: "refused" } as const;

const ROWS: readonly Row[] = [
  {
    page: "channel-page",
    path: "/channel/1",
    as: "root",
    url: "**/api/channel/1",
    states: { ...KEPT_FROM_SOME, absent: "absent" },
  },
  { page: "channel-overview", path: "/channel/1", as: "root", url: "**/api/channel/1/overview*", states: LATE },
  {
    page: "channel-failures",
    path: "/channel/1?tab=failures",
    as: "root",
    url: "**/api/log?*",
    states: { ...KEPT_FROM_SOME, empty: NO_ITEMS },
  },
  {
    page: "person",
    path: "/user/2",
    as: "root",
    url: "**/api/user/2/overview",
    states: { loading: "never", refused: "refused", absent: "absent" },
  },
  {
    page: "person-tokens",
    path: "/user/2?tab=tokens",
    as: "root",
    url: "**/api/user/2/tokens*",
    states: { ...LATE, huge: times(40) },
  },
  {
    page: "health",
    path: "/channel/health",
    as: "root",
    url: "**/api/channel/health*",
    states: { refused: "refused" },
  },
  // The account too: a site that sells nothing online has little else on this page.
  { page: "wallet", path: "/topup", as: "user", url: "**/api/user/{self,topup/info}", states: LATE, isStill: true },
  {
    page: "statement",
    path: "/topup/statement",
    as: "user",
    url: "**/api/user/statement/lines*",
    states: LATE,
    isStill: true,
  },
  {
    page: "studio",
    path: "/studio",
    as: "user",
    url: "**/api/{task,mj}/self?*",
    states: { ...LATE, empty: NO_ITEMS, huge: times(20) },
  },
  { page: "studio-models", path: "/studio", as: "user", url: "**/api/pricing*", states: LATE },
  {
    page: "connect",
    path: "/connect",
    as: "user",
    url: "**/api/token?*",
    states: { ...LATE, empty: NO_ITEMS, huge: times(40) },
  },
  {
    page: "audit",
    path: "/audit",
    as: "root",
    url: "**/api/audit?*",
    states: { ...KEPT_FROM_SOME, empty: NO_ITEMS, huge: times(10) },
  },
  {
    page: "system",
    path: "/system",
    as: "root",
    url: "**/api/system",
    states: { loading: "never", refused: "refused", trouble: { from: inTrouble } },
    shown: 'main [role="progressbar"]',
    late: "main [data-is-ghost]",
  },
  {
    page: "system-checks",
    path: "/system",
    as: "root",
    url: "**/api/system/checks",
    states: { ...KEPT_FROM_SOME, trouble: { from: failing } },
  },
  {
    page: "prices-page",
    path: "/prices",
    as: "root",
    url: "**/api/prices",
    states: { ...KEPT_FROM_SOME, huge: times(20) },
  },
  {
    page: "prices-changes",
    path: "/prices?tab=changes",
    as: "root",
    url: "**/api/prices/versions*",
    states: { ...LATE, empty: { data: [] } },
  },
];

/** What the doctor of programs finds where a proxy stands before the gateway. */
const DOCTOR: GalleryPage = {
  name: "connect-doctor-findings",
  path: "/connect?token=1&program=claude-code",
  as: "root",
  answers: [{ url: "**/v1/**", answer: "refused" }],
  shows: '[role="status"] li',
  steps: [
    { click: 'main :text-matches("^(Run the doctor|开始诊断)$")' },
    { wait: '[role="status"] li' },
    { scrollTo: '[role="status"] li:last-of-type' },
  ],
};

/** What failed is asked for again some times before it is said. */
const shownOf = (answer: Answer, shown: string | undefined): string | undefined =>
  typeof answer === "string" ? 'main [role="alert"]' : shown;

/** One picture a state, named after its page. */
const OF_ROWS: readonly GalleryPage[] = ROWS.flatMap(({ page, path, as, url, states, shown, late, isStill = false }) =>
  Object.entries(states).map(([state, answer]) => {
    const seen = answer === "never" ? late : shownOf(answer, shown);
    const steps = seen === undefined ? [] : [{ wait: seen }, { scrollTo: seen }];
    return { name: `${page}-${state}`, path, as, isStill, answers: [{ url, answer }], steps };
  }),
);

/** The wallet of a site that sells online. Last: a page begins as the site was when it was last seen. */
const SELLING: readonly GalleryPage[] = Object.entries(LATE).map(([state, answer]) => ({
  name: `wallet-selling-${state}`,
  path: "/topup",
  as: "user",
  isStill: true,
  answers: [site({ enable_online_topup: true }), { url: "**/api/user/topup/info", answer }],
  ...(answer === "fails" ? { steps: [{ wait: 'main [role="alert"]' }] } : {}),
}));

export const PAGE_STATES: readonly GalleryPage[] = [...OF_ROWS, DOCTOR, ...SELLING];
