/** The type of one screenshot: the page, its steps, and responses in place of the server's. */

/** One thing done to a page; the first element that a selector finds is meant, or the one at `index`. */
export type Step =
  | { click: string; index?: number; /** Not every width has it. */ isOptional?: boolean }
  | { focus: string }
  | { scrollTo: string; /** Not every width has it. */ isOptional?: boolean }
  | { press: string }
  | { type: string }
  | { wait: string }
  /** Another administrator adds one to a numeric option. */
  | { raise: string }
  | { pauseMs: number };

export interface GalleryPage {
  name: string;
  path: string;
  /**
   * `fresh`: before the wizard is done; `guest`: not logged in; `root`: the administrator; `user`: an ordinary user; `watcher`: the administrator
   * in a session of this look's own, whose view of another person ends with it.
   */
  as: "fresh" | "guest" | "root" | "user" | "watcher";
  /** What is done before the picture is taken. */
  steps?: readonly Step[];
  /** What must stand in the window; by itself, what is late or failed must, and what was scrolled to. */
  shows?: string;
  /** Answers that come instead of the server's, by address. */
  answers?: readonly StubbedAnswer[];
  /** Its frame is kept: it moves by less than others may. */
  isStill?: boolean;
  /** A state of a page that stands here in all looks: it is shown in few. */
  isState?: boolean;
}

export interface StubbedAnswer {
  url: string;
  /**
   * `never`: it stays open; `fails`: a server error; `absent`: what is asked for is not there; `gone`: a link to it no longer
   * holds; `refused`: not for this person; `from`: what is made of the server's own `data`; anything else is the answer's `data`, and what is
   * beside it.
   */
  answer:
    | "never"
    | "fails"
    | "absent"
    | "gone"
    | "refused"
    | { from: (data: never) => unknown }
    | { data: unknown; [beside: string]: unknown };
}
