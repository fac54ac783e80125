/** What each kind of message is shown with. */
import type { Message } from "../model/conversation.ts";
import type { ChatActs } from "../use-chat.ts";

export interface MessageProps {
  message: Message;
  laneId: string;
  acts: ChatActs;
  /** A reply of the lane is coming: nothing is asked again meanwhile. */
  isBusy: boolean;
  isLast: boolean;
  /** Messages that come after it. */
  laterCount: number;
  /** Another model than the lane asks now wrote it. */
  isOfOther?: boolean;
}
