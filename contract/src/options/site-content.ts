/** Announcements, questions and API addresses of the dashboard: their shapes, bounds and order. Used by the option catalogue, the status object and the console; needs no library. */

/** Field names and bounds are those of new-api's options `console_setting.*` (github.com/QuantumNous/new-api, setting/console_setting). */
export const SITE_CONTENT_BOUNDS = {
  announcements: 100,
  /** Of these the newest so many are published. */
  publishedAnnouncements: 20,
  questions: 50,
  addresses: 50,
  /** In characters. */
  contentLength: 500,
  extraLength: 200,
  questionLength: 200,
  answerLength: 1000,
  urlLength: 500,
  routeLength: 100,
  descriptionLength: 200,
} as const;

export const ANNOUNCEMENT_KINDS = ["default", "ongoing", "success", "warning", "error"] as const;
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number];

export const API_ADDRESS_COLORS = [
  "blue",
  "green",
  "cyan",
  "purple",
  "pink",
  "red",
  "orange",
  "amber",
  "yellow",
  "lime",
  "light-green",
  "teal",
  "light-blue",
  "indigo",
  "violet",
  "grey",
  "slate",
] as const;
export type ApiAddressColor = (typeof API_ADDRESS_COLORS)[number];

export interface Announcement {
  /** Markdown. */
  content: string;
  /** RFC 3339, with its offset from UTC. */
  publishDate: string;
  type: AnnouncementKind;
  /** A line below the content; empty for none. */
  extra: string;
}

export interface ApiAddress {
  /** http(s) URL of a gateway, with or without a path. */
  url: string;
  /** Name of the way there. */
  route: string;
  description: string;
  color: ApiAddressColor;
}

/** The announcements that are published: the newest first, at most 20. Those of one moment keep their order. */
export const newestAnnouncements = (announcements: readonly Announcement[]): Announcement[] =>
  announcements
    .toSorted((one, other) => Date.parse(other.publishDate) - Date.parse(one.publishDate))
    .slice(0, SITE_CONTENT_BOUNDS.publishedAnnouncements)
    .map(({ content, publishDate, type, extra }) => ({ content, publishDate, type, extra }));
