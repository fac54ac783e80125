/** The routes of the studio and of both logs of tasks: their addresses, texts and pages. */
import { loadTexts } from "../../lib/i18n.ts";
import { searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

const FIELDS = {
  ...LIST_SEARCH,
  /** The task of one call, by the id of its answer: of whatever time. */
  request_id: text,
  action: text,
  status: text,
  username: text,
  channel_id: text,
  range: text,
  start_timestamp: text,
  end_timestamp: text,
};

const imageTaskSearch = searchReader({ ...FIELDS, mj_id: text });
const taskSearch = searchReader({ ...FIELDS, task_id: text, platform: text });

/** The request that a link brings along. */
export const studioSearch = searchReader({ model: text, prompt: text });

export const studioRoute = {
  path: "/studio",
  validateSearch: studioSearch,
  loader: () => loadTexts("tasks", "tasks.studio"),
  component: lazyPage(() => import("./studio/page.tsx"), "StudioPage"),
} as const;

export const imageTasksRoute = {
  path: "/midjourney",
  validateSearch: imageTaskSearch,
  loader: () => loadTexts("tasks"),
  component: lazyPage(() => import("./page.tsx"), "ImageTasksPage"),
} as const;

export const tasksRoute = {
  path: "/task",
  validateSearch: taskSearch,
  loader: () => loadTexts("tasks"),
  component: lazyPage(() => import("./page.tsx"), "TasksPage"),
} as const;
