/** The page of a share link: one chat, two models side by side, and a link that has ended. */
import type { SharedChat } from "../../contract/src/features/playground.ts";
import type { GalleryPage, StubbedAnswer } from "./gallery-page.ts";

const QUESTION = "How does a binary search find its place, and how often does it look?";
const ANSWER = `It halves the range with each look:

\`\`\`python
def find(items, wanted):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
\`\`\`

| items | looks |
| ----: | ----: |
|    10 |     4 |
| 1,000 |    10 |

So it looks about $\\log_2 n$ times.`;

const lane = (model: string, reasoning?: string): SharedChat["lanes"][number] => ({
  model,
  messages: [
    { role: "user", content: QUESTION },
    { role: "assistant", content: ANSWER, model, ...(reasoning === undefined ? {} : { reasoning }) },
  ],
});

const SHARE = "**/api/share/*";

const shared = (chat: SharedChat): readonly StubbedAnswer[] => [
  {
    url: SHARE,
    answer: { data: { title: QUESTION, created_time: 1_795_000_000, expires_time: 1_797_000_000, chat } },
  },
];

const page = (name: string, more: Pick<GalleryPage, "as" | "answers" | "shows">): GalleryPage => ({
  name: `share-${name}`,
  path: "/share/0123456789abcdef0123456789abcdef",
  ...more,
});

const ONE: SharedChat = {
  system: "Answer briefly, with a table where it helps.",
  lanes: [lane("gpt-4.1", "The person wants the idea and the count.")],
};

/** As a page in all looks, too: strangers read it. */
export const SHARE_PAGES: readonly GalleryPage[] = [page("chat", { as: "guest", answers: shared(ONE) })];

export const SHARE_STATES: readonly GalleryPage[] = [
  page("compared", { as: "user", answers: shared({ lanes: [lane("gpt-4.1"), lane("claude-sonnet-4-5")] }) }),
  page("gone", { as: "guest", answers: [{ url: SHARE, answer: "gone" }], shows: "main h1" }),
];
